import { Argument, type Command, type Option } from 'commander';
import { addExamples, doing, type OpenSession } from './command.ts';

const SHELLS = ['bash', 'zsh'] as const;
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
  ).action(
    doing(open, async (session, { args: [shell = ''] }) => {
      await session.print(completionScript(program, shell as Shell));
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

/** Names of commands and options have no characters with a meaning in a shell. */
function completionScript(program: Command, shell: Shell): string {
  const levels = levelsOf(program, '', []);
  const known = levels.slice(1).map(({ path }) => `"${path}"`);
  const words = levels.map(
    ({ path, commands, options }) =>
      `    "${path}") words="${[...commands, ...options.flatMap(flagsOf), '--help'].join(' ')}" ;;`,
  );
  const choices = levels.flatMap(({ path, options }) =>
    options
      .filter(({ argChoices }) => argChoices !== undefined)
      .flatMap((option) =>
        flagsOf(option).map((flag) => `    "${path} ${flag}") words="${option.argChoices?.join(' ')}" ;;`),
      ),
  );
  const script = `_saldo() {
  local at path="" words=""
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
      ${known.join(' | ')}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _saldo saldo
`;
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}
