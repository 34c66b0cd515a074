#!/bin/sh
# Asks a Dialpoint service what to dial, with a POSIX shell, curl and sed.
#
#   child.sh [CHANNEL [SECONDS [COMMAND ARG...]]]
#
# The service is looked for at DIALPOINT_ADDR (unix:///path or http(s)://host:port), else at the default socket, for
# SECONDS (30). Over TCP it is shown the token in the file that DIALPOINT_TOKEN_FILE names, else the one in
# DIALPOINT_TOKEN. COMMAND is started with the URLs in its environment. Where the command dialpoint is installed,
#
#   dialpoint exec --channel CHANNEL --wait 30s -- COMMAND ARG...
#
# does all of this and more.
set -eu

procedure=/dialpoint.v1.EndpointService/ResolveEndpoints

fail() {
	printf 'child: %s\n' "$1" >&2
	exit 1
}

# service_address is DIALPOINT_ADDR, else the default socket, where the service listens unless it is told otherwise.
service_address() {
	case ${DIALPOINT_ADDR:-} in
	'') ;;
	*,* | http*://*[@?#]*) return 1 ;;
	unix:///?* | http://?*:*[0-9] | https://?*:*[0-9]) printf '%s' "$DIALPOINT_ADDR" && return ;;
	*) return 1 ;;
	esac
	user=$(id -u)
	case ${XDG_RUNTIME_DIR:-} in
	/*) directory=$XDG_RUNTIME_DIR/dialpoint ;;
	*) if [ "$user" -eq 0 ]; then directory=/run/dialpoint; else directory=${TMPDIR:-/tmp}/dialpoint-$user; fi ;;
	esac
	printf 'unix://%s/dialpoint.sock' "$directory"
}

# authorization prints the header that shows the service who calls, none for a socket, where the kernel says it. It is
# made for each call: a token may come late, or change.
authorization() {
	case $address in unix://*) return ;; esac
	token=${DIALPOINT_TOKEN:-}
	[ -z "${DIALPOINT_TOKEN_FILE:-}" ] || token=$(tr -d '\r' <"$DIALPOINT_TOKEN_FILE") || return
	set -f
	# shellcheck disable=SC2086 # white space around the token falls away here
	set -- $token
	case $#:${1:-} in
	0:) [ -z "${DIALPOINT_TOKEN_FILE:-}" ] ;;
	1:*[!A-Za-z0-9._~+/=-]*) return 1 ;;
	1:*) echo "Authorization: Bearer $1" ;;
	*) return 1 ;;
	esac
}

# ask makes one call, and prints the answer and, on a line of its own, the HTTP status. It takes what is left of the time.
#
# The service holds the call until the dashboard listens: 5 minutes at most. curl gives it two seconds more, so that its
# answer, which says what is missing, comes first. -q and --noproxy keep ~/.curlrc and every proxy out of it.
ask() {
	wait=$1
	[ "$wait" -le 300 ] || wait=300
	url=$address
	body="{\"channel\":\"$channel\",\"wait\":\"${wait}s\"}"
	set -- -q --silent --show-error --noproxy '*' --max-time $(($1 + 2))
	case $address in
	unix://*) set -- "$@" --unix-socket "${address#unix://}" && url=http://localhost ;;
	esac
	# The header comes by standard input: every user of the machine can list arguments.
	curl "$@" --header 'Content-Type: application/json' --header @- --data "$body" --write-out '\n%{http_code}' "$url$procedure" 2>&1 <<-EOF
		$header
	EOF
}

# url prints one spelling of one endpoint: url gateway displayUrl. The URLs are percent-encoded, so that no quote and no
# brace is in them.
url() {
	printf '%s\n' "$answer" | sed -n 's/.*"'"$1"'": *{[^}]*"'"$2"'": *"\([^"]*\)".*/\1/p'
}

# text prints a field of an error.
text() {
	printf '%s\n' "$answer" | sed -nE 's/.*"'"$1"'": *"(([^"\\]|\\.)*)".*/\1/p' | sed 's/\\"/"/g'
}

# nap pauses for up to $1 seconds, drawn by chance, so that children that start together do not come back together.
nap() {
	sleep "$(awk -v seed="$$$(date +%s)" -v most="$1" 'BEGIN { srand(seed % 2147483647); print most * (0.5 + rand() / 2) }')"
}

resolve() {
	deadline=$(($(date +%s) + seconds))
	pause=1 waiting=
	while :; do
		left=$((deadline - $(date +%s)))
		if ! header=$(authorization 2>/dev/null); then
			problem="there is no token in ${DIALPOINT_TOKEN_FILE:-DIALPOINT_TOKEN}; start 'dialpoint serve', or say in DIALPOINT_ADDR and DIALPOINT_TOKEN_FILE where they are"
		elif answer=$(ask $((left > 0 ? left : 0))); then
			status=${answer##*
}
			code=$(text code)
			[ "$status" != 200 ] || [ -z "$(url gateway url)" ] || return 0
			[ -n "$code" ] || fail "HTTP status $status: is it Dialpoint that listens at $address?"
			[ "$code" = unavailable ] || [ "$code" = resource_exhausted ] || fail "$code: $(text message)"
			problem=$(text message)
		else
			reason=$(printf '%s\n' "$answer" | sed -n 's/^curl: //p')
			problem="no answer at $address: $reason; start 'dialpoint serve', or say in DIALPOINT_ADDR where it is"
		fi
		[ "$(date +%s)" -lt "$deadline" ] ||
			fail "nothing to dial within $seconds s: $problem"
		[ -n "$waiting" ] || printf 'waiting: %s\n' "$problem" >&2
		waiting=yes
		nap "$pause"
		pause=2
	done
}

channel=${1:-}
seconds=${2:-30}
[ $# -le 2 ] || { shift 2 && command=yes; }

case $channel in
*[!A-Za-z0-9._-]*) fail "a channel may hold A-Z a-z 0-9 . _ - only" ;;
esac
address=$(service_address) || fail 'DIALPOINT_ADDR must be one address of the form unix:///path or http(s)://host:port'
resolve

if [ -n "${command:-}" ]; then
	# The environment, not an argument: every user of the machine can list arguments, and the URL holds a credential.
	HERMES_TUI_GATEWAY_URL=$(url gateway url)
	HERMES_TUI_SIDECAR_URL=$(url sidecar url)
	export HERMES_TUI_GATEWAY_URL HERMES_TUI_SIDECAR_URL
	exec "$@"
fi
printf 'gateway %s\n' "$(url gateway displayUrl)"
[ -z "$(url sidecar displayUrl)" ] || printf 'sidecar %s\n' "$(url sidecar displayUrl)"
