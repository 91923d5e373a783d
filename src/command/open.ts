import { ServedRecordings } from '#server/served/served-recordings.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { askedEndpoint, ENDPOINT_OPTION } from './options.ts';
import { readWhole } from './read-recordings.ts';
import { openPage, PAGE_OPTIONS, startPage } from './start.ts';

const USAGE = 'voicewire open [options] file';

/** `voicewire open file`; see `docs/serve.md`. */
export const openCommand = command({
  usage: USAGE,
  about: `Starts the page and the speech server behind it, and opens the page in your browser with this recording. The
recording is served as well: the page offers it among its servers.`,
  options: {
    ...PAGE_OPTIONS,
    'no-open': { type: 'boolean', help: 'print the address and open no browser' },
    endpoint: ENDPOINT_OPTION,
  },
  async run({ 'no-open': isQuiet = false, endpoint, ...asked }, [file, unexpected]) {
    if (file === undefined || unexpected !== undefined) throw new CommandError(`Expected one file: ${USAGE}`);
    const served = new ServedRecordings(null);
    const { recordings, notes } = await readWhole([file], askedEndpoint(endpoint), async (info, entries) => {
      const kept = await served.keep(info, entries, [], { needsAnswers: false });
      for (const note of kept.notes) process.stderr.write(`${file}: ${note}\n`);
      return kept.id;
    });
    for (const note of notes) process.stderr.write(`${note}\n`);
    const address = `${await startPage(asked, { served })}/?recording=${recordings.join(',')}`;
    process.stdout.write(`${file} opens at ${address}\n`);
    if (!isQuiet) openPage(address);
    return EXIT.good;
  },
});
