import { wordList } from '#lib/word-list.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readText, reportNewFields } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import { type ReadFrame, readFields } from '../wire/decode.ts';
import type { ElevenLabsRuleId } from './rules.ts';

const KEYS = wordList('audio isFinal normalizedAlignment alignment');

export type SpeechFrame = Extract<ReadFrame, { kind: 'speech' }> & {
  /** Of its audio; null without any. */
  bytes: number | null;
};
export type ErrorFrame = Extract<ReadFrame, { kind: 'error' }>;

/** Reads a server frame and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame(
  at: LintFrame,
  findings: Findings<ElevenLabsRuleId>,
): SpeechFrame | ErrorFrame | null {
  const fields = readText(at, findings);
  if (!fields) return null;
  const read = readFields(fields);
  if (read.kind === 'other') {
    const names = Object.keys(fields).slice(0, 5).join(', ') || 'none';
    if (read.event.type === 'malformed') findings.report('server-shape', at, read.event.problem);
    else findings.report('unknown-kind', at, `expected audio, isFinal or error, got ${names}`);
    return null;
  }
  reportNewFields(read.kind, read.rest.unknown ?? {}, () => false, at, findings);
  if (read.kind === 'error') return read;
  const report = findings.in(read.context);
  const absent = KEYS.filter((key) => !Object.hasOwn(fields, key)).join(', ');
  if (absent !== '') findings.once('keys-missing', at, `expected ${KEYS.join(', ')}, got no ${absent}`);
  for (const event of read.problems) {
    if (event.type !== 'malformed') continue;
    const [path = ''] = event.problem.split(':', 1);
    report('alignment-shape', at, event.problem, { path });
  }
  const bytes = read.base64 === null ? null : base64Bytes(read.base64);
  if (bytes === null && read.base64 !== null) {
    report('audio-base64', at, 'expected base64, got something else', 'audio');
  }
  return { ...read, bytes };
}
