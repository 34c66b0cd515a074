package api

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
)

// durationOf reads a field that may be from least to most. Absent is zero, and no error.
func durationOf(field string, said *durationpb.Duration, least, most time.Duration) (time.Duration, error) {
	if said == nil {
		return 0, nil
	}
	if said.CheckValid() != nil {
		return 0, invalidField(field, fmt.Sprintf("%d seconds and %d nanoseconds are no duration", said.GetSeconds(), said.GetNanos()))
	}
	asked := said.AsDuration()
	if asked < least || asked > most {
		return 0, invalidField(field, fmt.Sprintf("%s is not from %s to %s", asIs(said), least, most))
	}
	return asked, nil
}

// asIs is a valid duration as its sender meant it, even beyond the 292 years of a [time.Duration].
func asIs(said *durationpb.Duration) string {
	if asked := said.AsDuration(); int64(asked/time.Second) == said.GetSeconds() {
		return asked.String()
	}
	return fmt.Sprintf("%ds", said.GetSeconds())
}
