import ArgumentParser

/// The parser's script, in which the names of lists are commands too. Only the daemon knows these names, so the script asks for them.
enum CompletionScript {
    static func text(for shell: CompletionsCommand.Shell) -> String {
        let script = Homing.completionScript(for: shell.completion)
        let commands = (Homing.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]).joined(separator: " ")
        let renamed = script.replacing("\n_homing() {\n", with: "\n_homing_words() {\n")
        switch shell {
        case .bash: return "\(renamed)\n__homing_commands=' \(commands) '\n\(bash)"
        case .zsh:
            // The script ends with a call of ‘_homing’.
            let end = "\nif [[ \"${funcstack[1]}\""
            return renamed.replacing(end, with: "\n__homing_commands=' \(commands) '\n\(zsh)\(end)")
        case .fish: return "\(script)\nset -g __homing_commands \(commands)\n\(fish)"
        }
    }

    /// The parser's option for the script, as ‘homing completions’.
    static func command(_ arguments: [String]) -> [String] {
        guard arguments.count == 2, arguments[0] == "--generate-completion-script" else { return arguments }
        return ["completions", arguments[1]]
    }

    private static let bash = #"""
        _homing() {
            local -r first="${COMP_WORDS[1]}"
            if [[ "${COMP_CWORD}" -gt 1 && "${first}" != -* && "${__homing_commands}" != *" ${first} "* ]]; then
                COMP_LINE="${COMP_LINE%%[[:space:]]*} roster ${COMP_LINE#*[[:space:]]}"
                COMP_POINT=$((COMP_POINT + 7))
                COMP_WORDS=("${COMP_WORDS[0]}" roster "${COMP_WORDS[@]:1}")
                COMP_CWORD=$((COMP_CWORD + 1))
            fi
            _homing_words "${@}"
            local words=()
            if [[ "${COMP_CWORD}" -eq 1 && "${first}" != -* ]]; then
                mapfile -t words < <(SAP_SHELL=bash "${COMP_WORDS[0]}" ---completion roster -- positional@0 1 0 "${COMP_WORDS[@]}")
            elif [[ "${COMP_WORDS[1]}" = roster && "${COMP_WORDS[3]}" = @(add|edit) && "${COMP_CWORD}" -gt 3 && "${2}" = -* ]]; then
                mapfile -t words < <(SAP_SHELL=bash "${COMP_WORDS[0]}" ---completion roster -- --set 1 0 "${COMP_WORDS[@]}")
                words=("${words[@]%=}")
                words=("${words[@]//_/-}")
                words=("${words[@]/#/--}")
            fi
            local word
            for word in "${words[@]}"; do [[ "${word}" = "${2}"* ]] && COMPREPLY+=("${word}"); done
        }
        """#

    private static let zsh = #"""
        _homing() {
            emulate -L zsh
            if [[ "${CURRENT}" -gt 2 && "${words[2]}" != -* && "${__homing_commands}" != *" ${words[2]} "* ]]; then
                words=("${words[1]}" roster "${(@)words[2,-1]}")
                ((CURRENT++))
            fi
            local -ar all=("${words[@]}")
            local -ir current="${CURRENT}"
            local -i ret=1
            _homing_words "${@}" && ret=0
            local value
            [[ "${current}" -ne 2 ]] || value=positional@0
            [[ "${all[2]}" != roster || "${all[4]}" != (add|edit) || "${current}" -le 4 || "${all[current]}" != -* ]] || value=--set
            [[ -n "${value}" ]] || return "${ret}"
            local -a found=("${(@f)"$(SAP_SHELL=zsh "${all[1]}" ---completion roster -- "${value}" 1 0 "${all[@]}")"}")
            found=("${(@)found:#(| )}")
            if [[ "${value}" = --set ]]; then
                found=("${(@)found%=}")
                found=("${(@)found//_/-}")
                found=("${(@)found/#/--}")
            fi
            [[ "${#found}" -gt 0 ]] && compadd -a found && ret=0
            return "${ret}"
        }
        """#

    private static let fish = #"""
        functions -e __homing_plain_tokens
        functions -c __homing_tokens __homing_plain_tokens
        function __homing_tokens
            set -l tokens (__homing_plain_tokens $argv)
            if string match -q -- '-p*' $argv[1]; and test (count $tokens) -gt 1
                and not string match -q -- '-*' $tokens[2]; and not contains -- $tokens[2] $__homing_commands
                set tokens $tokens[1] roster $tokens[2..]
            end
            printf %s\n $tokens
        end
        function __homing_form
            set -l tokens (__homing_tokens -pc)
            test "$tokens[2]" = roster; and contains -- "$tokens[4]" add edit
            and __homing_custom_completion ---completion roster -- --set 1 0 | string replace -r -- '^(.*)=$' '--$1' | string replace -a -- _ -
        end
        complete -c homing -n '__homing_should_offer_completions_for_positional "homing" -eq 1' -fa '(__homing_custom_completion ---completion roster -- positional@0 1 0)'
        complete -c homing -n 'string match -q -- "-*" (commandline -t)' -fa '(__homing_form)'
        """#
}
