package rules

import "strconv"

// Port is a TCP port. Zero means that it is not known.
type Port uint16

// ParsePort reads a port from 1 to 65535 in decimal digits.
func ParsePort(text string) (Port, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return 0, refuse("port", text, "it must be a number from 1 to 65535")
	}
	return Port(n), nil
}

// String is the port in decimal.
func (p Port) String() string { return strconv.Itoa(int(p)) }
