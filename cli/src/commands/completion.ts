import { Argument, type Command, type Option } from 'commander';
import { addExamples, doing, type OpenSession } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletionCommand(program: Command, open: OpenSession): void {
  const completion = program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS));
  addExamples(
    completion,
    'completion bash > ~/.local/share/bash-completion/completions/saldo',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/saldo.fish',
  ).action(
    doing(open, async (session, { args: [shell = ''] }) => {
      await session.print(SCRIPTS[shell as Shell](completionsOf(program)));
    }),
  );
}

type Level = { path: string; commands: string[]; options: readonly Option[] };

/** A command and all commands below it. The path of the program itself is empty. */
function levelsOf(command: Command, path: string, inherited: readonly Option[]): Level[] {
  const options = [...command.options, ...inherited];
  const below = command.commands.flatMap((inner) =>
    levelsOf(inner, `${path} ${inner.name()}`, path === '' ? command.options : inherited),
  );
  return [{ path, commands: command.commands.map((inner) => inner.name()), options }, ...below];
}

const flagsOf = ({ short, long }: Option) => [short, long].filter((flag) => flag !== undefined);

/** The words of a shell script, keyed by what stands before the cursor. Names have no characters with a meaning in a shell. */
type Completions = {
  /** Paths of all commands below the program. */
  readonly paths: readonly string[];
  /** Commands and options by the path of their command. */
  readonly words: readonly (readonly [path: string, words: readonly string[]])[];
  /** Choices of an option by its path and flag. */
  readonly choices: readonly (readonly [pathAndFlag: string, words: readonly string[]])[];
};

function completionsOf(program: Command): Completions {
  const levels = levelsOf(program, '', []);
  return {
    paths: levels.slice(1).map(({ path }) => path),
    words: levels.map(({ path, commands, options }) => [
      path,
      [...commands, ...options.flatMap(flagsOf), '--help'],
    ]),
    choices: levels.flatMap(({ path, options }) =>
      options.flatMap((option) =>
        option.argChoices === undefined
          ? []
          : flagsOf(option).map((flag) => [`${path} ${flag}`, option.argChoices ?? []] as const),
      ),
    ),
  };
}

function bashScript({ paths, words, choices }: Completions): string {
  const cases = (entries: Completions['words']) =>
    entries.map(([key, offered]) => `    "${key}") words="${offered.join(' ')}" ;;`).join('\n');
  return `_saldo() {
  local at path="" words=""
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
      ${paths.map((path) => `"${path}"`).join(' | ')}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$path" in
${cases(words)}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${cases(choices)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _saldo saldo
`;
}

function fishScript({ paths, words, choices }: Completions): string {
  const cases = (entries: Completions['words']) =>
    entries
      .map(([key, offered]) => `        case '${key}'\n            set words ${offered.join(' ')}`)
      .join('\n');
  return `function __saldo_words
    set -l path ''
    set -l words
    set -l given (commandline -opc)
    for word in $given[2..]
        switch "$path $word"
            case ${paths.map((path) => `'${path}'`).join(' ')}
                set path "$path $word"
        end
    end
    switch "$path"
${cases(words)}
    end
    switch "$path $given[-1]"
${cases(choices)}
    end
    printf '%s\\n' $words
end
complete -c saldo -a '(__saldo_words)'
`;
}

const SCRIPTS: Readonly<Record<Shell, (completions: Completions) => string>> = {
  bash: bashScript,
  zsh: (completions) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(completions)}`,
  fish: fishScript,
};
