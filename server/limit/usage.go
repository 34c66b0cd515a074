package limit

// usage is how many slots of one kind are taken, in all and by each peer. A peer that has none is not in the map, so
// that those who came once cost nothing later.
type usage struct {
	all  int
	each map[string]int
}

func (u *usage) add(peer string) {
	if u.each == nil {
		u.each = map[string]int{}
	}
	u.all++
	u.each[peer]++
}

func (u *usage) remove(peer string) {
	u.all--
	u.each[peer]--
	if u.each[peer] == 0 {
		delete(u.each, peer)
	}
}
