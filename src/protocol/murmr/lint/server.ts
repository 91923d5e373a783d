import { describeIssue, issuesOf, shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import type { Findings } from '../../lint/findings.ts';
import type { Once } from '../../lint/once.ts';
import { readObject } from '../../lint/payload.ts';
import * as frames from '../wire/server-frames.ts';
import type { MurmrRuleId } from './rules.ts';

/** Rules of the shape of text frames of the server. */

const MAX_ISSUES = 8;

const SCHEMAS = {
  audio: frames.audioFrame,
  done: frames.doneFrame,
  error: frames.errorFrame,
  config_ack: frames.configAckFrame,
  binary_mode_ack: frames.binaryModeAckFrame,
  pong: frames.pongFrame,
} as const;
type Type = keyof typeof SCHEMAS;

export type ServerFrame = { [T in Type]: { type: T; frame: z.output<(typeof SCHEMAS)[T]> } }[Type];

/** A frame that cannot be used, by its type where it has one. */
export type Unreadable = { type: null; of: Type | null };

/** Reads a text frame; what is wrong with it is reported. */
export function readServerFrame(
  payload: string,
  at: LintMoment,
  findings: Findings<MurmrRuleId>,
  once: Once<MurmrRuleId>,
): ServerFrame | Unreadable {
  const read = readObject(payload);
  if ('problem' in read) {
    findings.report('not-json', at, read.problem);
    return { type: null, of: null };
  }
  const value = read.value as Readonly<Record<string, unknown>>;
  const { type } = value;
  if (typeof type !== 'string' || !isType(type)) {
    const expected = Object.keys(SCHEMAS).join(', ');
    findings.report('unknown-kind', at, `type: expected one of ${expected}, got ${shown(type)}`, {
      path: 'type',
    });
    return { type: null, of: null };
  }
  const schema = SCHEMAS[type];
  // Nearly all frames are audio, and looking at the fields is much cheaper than the validator.
  const parsed = type === 'audio' && isPlainAudio(value) ? null : schema.safeParse(value);
  if (parsed && !parsed.success) {
    for (const issue of issuesOf(parsed.error, value).slice(0, MAX_ISSUES)) {
      findings.report('server-shape', at, describeIssue(issue), { path: issue.path });
    }
    return { type: null, of: type };
  }
  for (const field in value) {
    if (Object.hasOwn(schema.shape, field)) continue;
    const name = field.slice(0, 64);
    const message = `${type}: expected only known fields, got ${name}`;
    once.report('new-field', at, message, name, `${type}.${name}`);
  }
  return { type, frame: parsed ? parsed.data : value } as ServerFrame;
}

const isType = (type: string): type is Type => Object.hasOwn(SCHEMAS, type);

const isPlainAudio = ({ chunk, sample_rate, format }: Readonly<Record<string, unknown>>): boolean =>
  typeof chunk === 'string' && sample_rate === frames.SAMPLE_RATE && format === 'pcm_s16le';
