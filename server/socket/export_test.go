package socket

// OwnersAlone is what sets a socket's mode before it is bound.
var OwnersAlone = ownersAlone
