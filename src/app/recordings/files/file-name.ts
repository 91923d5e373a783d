import type { RecordingInfo } from '#trace/entry.ts';

const MAX_CHARS = 100;
/** Windows allows the fewest characters in a file name. */
const FORBIDDEN = /[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu;
const ENDINGS = /(?:\.voicewire)?(?:\.(?:ndjson|jsonl|json|har|txt))?(?:\.gz)?$/i;

/** Returns a file name for the recording, without extension: its name, or its endpoint and time. */
export function fileStem({
  name,
  endpoint,
  startedAtMs,
}: Pick<RecordingInfo, 'name' | 'endpoint' | 'startedAtMs'>): string {
  // A leading point hides the file on Unix.
  const clean = name
    .replace(FORBIDDEN, '-')
    .trim()
    .replace(/^\.+/, '')
    .replace(/(?<![. ])[. ]+$/, '');
  return clean === '' ? `${endpoint || 'recording'} ${timeStem(startedAtMs)}` : clean.slice(0, MAX_CHARS);
}

/** `2026-11-21 13.02.23` in local time; sorts by time. */
function timeStem(ms: number): string {
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}.${two(date.getMinutes())}.${two(date.getSeconds())}`;
}

/** Returns a file's name without its extensions, or unchanged if nothing would remain. */
export function baseName(fileName: string): string {
  const base = fileName.replace(ENDINGS, '').trim();
  return base === '' ? fileName : base;
}
