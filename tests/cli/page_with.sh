# shellcheck shell=bash
# A page with a script of ours at its end, which its policy then allows by its hash: page_with PAGE SCRIPT
# shellcheck disable=SC2059 # the format is nothing but bytes
page_with() {
  local hash
  hash="$(printf "$(printf '%s' "$2" | sha256sum | sed 's/ .*//; s/../\\x&/g')" | base64)"
  sed -e "0,/; script-src /s|; script-src |&'sha256-$hash' |" -e '/^<\/body>/,$d' "$1"
  echo "<script>$2</script></body></html>"
}
