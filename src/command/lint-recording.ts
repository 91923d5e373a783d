import { parseArgs } from 'node:util';
import { messageOf } from '#lib/message-of.ts';
import { type CheckedRecording, checkFile } from './check-files.ts';
import { CommandError, EXIT, runCommand } from './command-error.ts';
import { ACCEPTED, FORMATS, hasGraver, type ReportFormat } from './findings-report.ts';
import { oneOf } from './options.ts';

/** `npm run lint-recording -- file…`; see `docs/capture.md`. */

const USAGE = `Usage: npm run lint-recording -- [--format ${Object.keys(FORMATS).join('|')}] [--max-severity ${ACCEPTED.join('|')}] file…`;

async function main(): Promise<number> {
  const { files, format, accepted } = readArguments();
  const recordings: CheckedRecording[] = [];
  for (const file of files) recordings.push(...(await checkFile(file)));
  process.stdout.write(FORMATS[format](recordings, accepted));
  return hasGraver(recordings, accepted) ? EXIT.found : EXIT.good;
}

function readArguments() {
  try {
    const { values, positionals: files } = parseArgs({
      allowPositionals: true,
      options: {
        format: { type: 'string', default: 'text' },
        'max-severity': { type: 'string', default: 'warning' },
      },
    });
    if (files.length === 0) throw new Error('At least one file is expected.');
    const formats = Object.keys(FORMATS) as ReportFormat[];
    return {
      files,
      format: oneOf('format', values.format, formats),
      accepted: oneOf('max-severity', values['max-severity'], ACCEPTED),
    };
  } catch (error) {
    throw new CommandError(`${messageOf(error)}\n${USAGE}`);
  }
}

runCommand(main);
