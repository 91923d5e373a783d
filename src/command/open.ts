import type { RecordEntry } from '#record/record.ts';
import { ServedRecordings } from '#server/served/served-recordings.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { readRecordings } from './read-recordings.ts';
import { openPage, PAGE_OPTIONS, startPage } from './start.ts';

const USAGE = 'voicewire open [options] file';

/** `voicewire open file`; see `docs/serve.md`. */
export const openCommand = command({
  usage: USAGE,
  about: `Starts the page and the speech server behind it, and opens the page in your browser with this recording. The
recording is served as well: the page offers it among its servers.`,
  options: { ...PAGE_OPTIONS, 'no-open': { type: 'boolean', help: 'print the address and open no browser' } },
  async run({ 'no-open': isQuiet = false, ...asked }, [file, unexpected]) {
    if (file === undefined || unexpected !== undefined) throw new CommandError(`Expected one file: ${USAGE}`);
    const served = new ServedRecordings(null);
    const notServed: string[] = [];
    const { recordings, notes } = await readRecordings(
      file,
      async (info, entries) => {
        const all: RecordEntry[] = [];
        for await (const entry of entries) all.push({ ...entry, index: all.length });
        const kept = served.keep({ info, entries: all, notes: [] }, false);
        notServed.push(...kept.notes);
        return kept.id;
      },
      true,
    );
    for (const note of [...notes, ...notServed]) process.stderr.write(`${file}: ${note}\n`);
    const address = `${await startPage(asked, { served })}/?recording=${recordings.join(',')}`;
    process.stdout.write(`${file} opens at ${address}\n`);
    if (!isQuiet) openPage(address);
    return EXIT.good;
  },
});
