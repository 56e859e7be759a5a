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

# __iovatune_run COMMAND OPTION...: these options and those of a run.
__iovatune_run()
{
	echo "${@:2}" --threads --cpus --count --seconds --whole
	[[ $1 == floor ]] || echo --unmap-on --live --turns
	[[ $1 == coherent ]] || echo --irqs-off
	[[ $1 =~ ^(coherent|iova)$ ]] || echo --direction
	[[ $1 == iova ]] || echo --force
}

# __iovatune_values OPTION: its values, where they have names; fails for other options.
__iovatune_values()
{
	case $1 in
	--mode) echo owned ;;
	--allocator) echo stock iovatune ;;
	--pattern) echo pair burst handoff mixed cold fragmented ;;
	--unmap-on) echo same next one ;;
	--direction) echo to-device from-device bidirectional ;;
	--load) echo map sg coherent ;;
	--max-order | --depot-bytes | --address-bits | --interval | --count | --size | \
		--entries | --threads | --cpus | --live | --seconds | --rounds) ;;
	*) return 1 ;;
	esac
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
	"bench map" | "bench coherent")
		__iovatune_functions && __iovatune_run "$2" --size ;;
	"bench floor") __iovatune_functions && __iovatune_run floor --size --entries ;;
	"bench sg") __iovatune_functions && __iovatune_run sg --entries ;;
	"bench iova") __iovatune_run iova --allocator --pattern --size ;;
	"bench compare") __iovatune_functions &&
		__iovatune_run compare --load --rounds --size --entries ;;
	"bench ") echo show map sg coherent floor iova compare ;;
	"dev ") echo show add set del ;;
	"stats ") echo show ;;
	" ") echo dev stats monitor bench --version ;;
	esac
	echo --json --pretty --help
}

# readline takes words apart at the characters of COMP_WORDBREAKS, of which ":" is usually one.
# So words are taken from the line itself, and an address is completed from behind its last colon.
_iovatune()
{
	local cur prev object="" command="" i word values
	local line=${COMP_LINE:0:COMP_POINT}
	local -a words=()

	read -ra words <<<"$line"
	cur=""
	[[ $line == *[[:space:]] ]] || cur=${words[-1]}
	[[ -z $cur ]] || unset 'words[-1]'
	prev=${words[-1]-}

	if values=$(__iovatune_values "$prev"); then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
		return
	fi

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
