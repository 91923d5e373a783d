import { checkFiles } from './check-files.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { ACCEPTED, FORMATS, hasGraver, MAX_SEVERITY_HELP, type ReportFormat } from './findings-report.ts';
import { askedEndpoint, ENDPOINT_OPTION, oneOf } from './options.ts';

/** `voicewire lint file…`; see `docs/capture.md`. */
export const lintCommand = command({
  usage: 'voicewire lint [options] file…',
  about:
    'Checks recordings and HAR files, also gzipped.\nEnds with 1 where something graver than accepted is found, and with 2 where nothing can be checked, or a file is damaged or cut off.',
  options: {
    format: { type: 'string', default: 'text', value: 'FORMAT', help: Object.keys(FORMATS).join(', ') },
    'max-severity': { type: 'string', default: 'warning', value: 'SEVERITY', help: MAX_SEVERITY_HELP },
    endpoint: ENDPOINT_OPTION,
  },
  async run({ format, 'max-severity': severity, endpoint }, files) {
    if (files.length === 0) throw new CommandError('Expected at least one file: voicewire lint file…');
    const report = FORMATS[oneOf('format', format, Object.keys(FORMATS) as ReportFormat[])];
    const accepted = oneOf('max-severity', severity, ACCEPTED);
    const asked = askedEndpoint(endpoint);
    const recordings = await checkFiles(files, asked);
    process.stdout.write(report(recordings, accepted));
    const isDamaged = recordings.some(({ missing }) => missing.length > 0);
    if (isDamaged || recordings.every(({ rules }) => rules.length === 0)) return EXIT.unusable;
    return hasGraver(recordings, accepted) ? EXIT.found : EXIT.good;
  },
});
