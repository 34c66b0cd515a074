package access

import (
	"strings"
	"testing"

	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A procedure that is added to the API must be added to the table, and one that is taken away must go.
func TestEveryProcedureHasALeastRole(t *testing.T) {
	t.Parallel()
	want := map[string]Role{"EndpointService": Child, "ListenerService": Operator}
	found := map[string]bool{}
	protoregistry.GlobalFiles.RangeFilesByPackage("dialpoint.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				procedure := "/" + string(service.FullName()) + "/" + string(service.Methods().Get(j).Name())
				found[procedure] = true
				least, isKnown := leastRoles[procedure]
				if least != want[string(service.Name())] || !isKnown || least == Nobody {
					t.Errorf("%s needs the role %v, known: %t", procedure, least, isKnown)
				}
			}
		}
		return true
	})
	if len(found) < 6 {
		t.Errorf("the API has %d procedures", len(found))
	}
	for procedure := range leastRoles {
		if strings.HasPrefix(procedure, "/dialpoint.") && !found[procedure] {
			t.Errorf("%s is not in the API", procedure)
		}
	}
}

func TestOpenProcedures(t *testing.T) {
	t.Parallel()
	want := map[string]bool{
		"/" + grpchealth.HealthV1ServiceName + "/Check":                       true,
		"/" + grpchealth.HealthV1ServiceName + "/Watch":                       true,
		"/" + grpcreflect.ReflectV1ServiceName + "/ServerReflectionInfo":      true,
		"/" + grpcreflect.ReflectV1AlphaServiceName + "/ServerReflectionInfo": true,
	}
	for procedure := range leastRoles {
		if IsOpen(procedure) != want[procedure] {
			t.Errorf("%s is open: %t", procedure, IsOpen(procedure))
		}
		delete(want, procedure)
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	const open, child, operator = "/grpc.health.v1.Health/Check", "/dialpoint.v1.EndpointService/ResolveEndpoints", "/dialpoint.v1.ListenerService/ReportListener"
	tests := map[string]struct {
		role      Role
		procedure string
		want      string
	}{
		"nobody, open":       {Nobody, open, ""},
		"nobody, child's":    {Nobody, child, reasonCredentialMissing},
		"nobody, operator's": {Nobody, operator, reasonCredentialMissing},
		"child, open":        {Child, open, ""},
		"child, own":         {Child, child, ""},
		"child, operator's":  {Child, operator, reasonRoleForbidden},
		"operator, open":     {Operator, open, ""},
		"operator, child's":  {Operator, child, ""},
		"operator, own":      {Operator, operator, ""},
		"nobody, unknown":    {Nobody, child + "2", reasonRoleForbidden},
		"operator, unknown":  {Operator, child + "2", reasonRoleForbidden},
		"operator, empty":    {Operator, "", reasonRoleForbidden},
		"operator, no slash": {Operator, strings.TrimPrefix(child, "/"), reasonRoleForbidden},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if refused := authorize(test.role, test.procedure); refused != nil {
				got = refused.reason
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRoleString(t *testing.T) {
	t.Parallel()
	for role, want := range map[Role]string{Nobody: "nobody", Child: "child", Operator: "operator", 99: "nobody"} {
		if got := role.String(); got != want {
			t.Errorf("role %d reads %q, want %q", role, got, want)
		}
	}
}
