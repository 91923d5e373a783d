import { parseArgs } from 'node:util';
import { largest } from '#lib/collections/arrays.ts';
import { messageOf } from '#lib/message-of.ts';
import { CommandError, EXIT } from './command-error.ts';

/** An option of `parseArgs`, with the words for its line of the help. */
interface OptionRow {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly default?: string;
  /** Name of the value in the help, such as `FILE`. */
  readonly value?: string;
  readonly help: string;
}

type OptionRows = Readonly<Record<string, OptionRow>>;

const HELP = { help: { type: 'boolean', short: 'h', help: 'print this and end' } } as const;

type Values<T extends OptionRows> = {
  readonly [K in keyof T]: T[K]['type'] extends 'boolean'
    ? boolean | undefined
    : T[K] extends { default: string }
      ? string
      : string | undefined;
};

interface CommandParts<T extends OptionRows> {
  /** Such as `voicewire lint [options] file…`. */
  readonly usage: string;
  /** Lines that say what the command does. */
  readonly about: string;
  readonly options: T;
  /** Lines after the options. */
  readonly notes?: string;
  /** @param program the arguments behind `--` @returns the exit code @throws CommandError */
  run(values: Values<T>, positionals: readonly string[], program: readonly string[]): Promise<number>;
}

/** What runs for some arguments. @returns the exit code @throws CommandError */
export type ShellCommand = (args: readonly string[]) => Promise<number>;

/** Returns a command with `--help`, whose options are read and explained by one table. */
export function command<const T extends OptionRows>(parts: CommandParts<T>): ShellCommand {
  return async (args) => {
    const { values, positionals, program } = read(parts, args);
    if (values.help) {
      process.stdout.write(helpOf(parts));
      return EXIT.good;
    }
    return parts.run(values, positionals, program);
  };
}

function read<T extends OptionRows>({ usage, options }: CommandParts<T>, args: readonly string[]) {
  try {
    const end = args.indexOf('--');
    const { values, positionals } = parseArgs({
      args: end < 0 ? [...args] : args.slice(0, end),
      allowPositionals: true,
      options: { ...HELP, ...options } as OptionRows,
    });
    const program = end < 0 ? [] : args.slice(end + 1);
    return { values: values as Values<T & typeof HELP>, positionals, program };
  } catch (error) {
    // Node's further sentences are hints on several lines.
    const [problem = ''] = messageOf(error).split(/\.?(?:\n|$|\. )/);
    throw new CommandError(`${problem}. Every option is listed by: ${nameIn(usage)} --help`);
  }
}

/** `voicewire lint` of `voicewire lint [options] file…`. */
const nameIn = (usage: string): string => usage.replace(/ [[-].*/, '');

function helpOf({ usage, about, options, notes }: CommandParts<OptionRows>): string {
  const rows = Object.entries<OptionRow>({ ...options, ...HELP }).map(([name, row]) => {
    const names = [...(row.short ? [`-${row.short}`] : []), `--${name}`].join(', ');
    const without = row.default ? ` (${row.default})` : '';
    return [row.value ? `${names} ${row.value}` : names, `${row.help}${without}`] as const;
  });
  const width = largest(rows.map(([names]) => names.length));
  const lines = rows.map(([names, words]) => `  ${names.padEnd(width)}  ${words}`);
  return `Usage: ${usage}\n\n${about}\n\n${lines.join('\n')}\n${notes ? `\n${notes}\n` : ''}`;
}
