import type { Finding } from '#protocol/core/rule.ts';
import { SoundCheck } from '#recordings/sound/sound-check.ts';
import { openReferences } from '#server/speech/reference-speech.ts';
import type { NewEntry } from '#trace/entry.ts';

/** Findings of a recording, and the time of the processor that they cost, which other programs do not change. */
export interface Checked {
  findings: readonly Finding[];
  checkMs: number;
}

const references = openReferences();

/** Has the sound of a whole recording checked. */
export async function checkSound(endpoint: string, entries: readonly NewEntry[]): Promise<Checked> {
  const before = process.cpuUsage();
  const check = new SoundCheck(endpoint, references.source);
  const findings: Finding[] = [];
  for (const [index, entry] of entries.entries()) findings.push(...(await check.take(entry, index)));
  findings.push(...(await check.end()));
  const { user, system } = process.cpuUsage(before);
  return { findings, checkMs: (user + system) / 1000 };
}
