# SPDX-License-Identifier: GPL-2.0-only
# bash completion for iovatune(8)                          -*- shell-script -*-

# PCI functions, as sysfs names them.
__iovatune_functions()
{
	local path

	for path in /sys/bus/pci/devices/*; do
		[[ -e $path ]] && printf '%s\n' "${path##*/}"
	done
}

# Managed devices; nothing without the module or the right to ask.
__iovatune_managed()
{
	iovatune -j dev show 2>/dev/null | grep -o '"name":"[^"]*"' | cut -d'"' -f4
}

# Words that may follow OBJECT COMMAND; the first line is for DEV.
__iovatune_words()
{
	case "$1 $2" in
	"dev show") __iovatune_managed && echo --all ;;
	"dev add") __iovatune_functions && echo --mode --max-order --depot-bytes \
		--address-bits --rebind --force ;;
	"dev set") __iovatune_managed && echo --max-order --depot-bytes --address-bits ;;
	"dev del") __iovatune_managed && echo --rebind --force ;;
	"stats show") __iovatune_managed && echo --cpu --order --interval --count ;;
	"monitor "*) echo --count ;;
	"dev ") echo show add set del ;;
	"stats ") echo show ;;
	" ") echo dev stats monitor --version ;;
	esac
	echo --json --pretty --help
}

# readline takes words apart at the characters of COMP_WORDBREAKS, of which ":" is usually one.
# So words are taken from the line itself, and an address is completed from behind its last colon.
_iovatune()
{
	local cur prev object="" command="" i word
	local line=${COMP_LINE:0:COMP_POINT}
	local -a words=()

	read -ra words <<<"$line"
	cur=""
	[[ $line == *[[:space:]] ]] || cur=${words[-1]}
	[[ -z $cur ]] || unset 'words[-1]'
	prev=${words[-1]-}

	case $prev in
	--mode)
		mapfile -t COMPREPLY < <(compgen -W owned -- "$cur")
		return
		;;
	--max-order | --depot-bytes | --address-bits | --interval | --count)
		COMPREPLY=()
		return
		;;
	esac

	for ((i = 1; i < ${#words[@]}; i++)); do
		word=${words[i]}
		[[ $word == -* ]] && continue
		if [[ -z $object ]]; then
			object=$word
		elif [[ -z $command ]]; then
			command=$word
		fi
	done

	mapfile -t COMPREPLY < <(compgen -W "$(__iovatune_words "$object" "$command")" -- "$cur")
	if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
	fi
}

complete -F _iovatune iovatune
