import { wordList } from '#lib/word-list.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readShape, readText, reportNewFields } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import {
  type Alignment,
  contextIn,
  ERROR_FRAME,
  frameKindOf,
  readAlignment,
  SPEECH_FRAME,
} from '../wire/server-frames.ts';
import type { ElevenLabsRuleId } from './rules.ts';

/** Rules of single server frames. */

const KEYS = wordList('audio isFinal normalizedAlignment alignment');

export interface SpeechFrame {
  kind: 'speech';
  context: string | null;
  /** Null without audio. */
  bytes: number | null;
  written: Alignment | null;
  normalized: Alignment | null;
  isFinal: boolean;
  /** Something in it was unreadable. */
  isDamaged: boolean;
}

interface ErrorFrame {
  kind: 'error';
  context: string | null;
  name: string | null;
  code: number | null;
}

/** @returns null for an unreadable frame, after a report */
export function readReceivedFrame(
  at: LintFrame,
  findings: Findings<ElevenLabsRuleId>,
): SpeechFrame | ErrorFrame | null {
  const fields = readText(at, findings);
  if (!fields) return null;
  const kind = frameKindOf(fields);
  if (kind === 'speech') return readSpeech(fields, at, findings);
  if (kind === 'error') return readError(fields, at, findings);
  const found = Object.keys(fields).slice(0, 5).join(', ') || 'none';
  findings.report('unknown-kind', at, `expected a frame with audio, isFinal or error, got ${found}`);
  return null;
}

function readSpeech(fields: Fields, at: LintFrame, findings: Findings<ElevenLabsRuleId>): SpeechFrame | null {
  const frame = readShape(SPEECH_FRAME, fields, at, findings);
  if (!frame) return null;
  reportNewFields('speech', fields, (field) => Object.hasOwn(SPEECH_FRAME.shape, field), at, findings);
  const absent = KEYS.filter((key) => !Object.hasOwn(fields, key));
  if (absent.length > 0) {
    findings.once(
      'keys-missing',
      at,
      `expected ${KEYS.join(', ')} in every frame, got no ${absent.join(', ')}`,
    );
  }
  const context = contextIn(frame);
  let isDamaged = false;
  const aligned = (name: 'alignment' | 'normalizedAlignment'): Alignment | null => {
    const result = readAlignment(frame[name]);
    if ('read' in result) return result.read;
    isDamaged = true;
    findings.in(context)('alignment-shape', at, result.problem, name);
    return null;
  };
  const bytes = frame.audio ? base64Bytes(frame.audio) : null;
  if (frame.audio && bytes === null) {
    isDamaged = true;
    findings.in(context)('audio-base64', at, 'expected base64, got something else', 'audio');
  }
  return {
    kind: 'speech',
    context,
    bytes: frame.audio ? (bytes ?? 0) : null,
    written: aligned('alignment'),
    normalized: aligned('normalizedAlignment'),
    isFinal: frame.isFinal === true || frame.is_final === true,
    isDamaged,
  };
}

function readError(fields: Fields, at: LintFrame, findings: Findings<ElevenLabsRuleId>): ErrorFrame | null {
  const frame = readShape(ERROR_FRAME, fields, at, findings);
  if (!frame) return null;
  reportNewFields('error', fields, (field) => Object.hasOwn(ERROR_FRAME.shape, field), at, findings);
  const { error: name = null, code = null } = frame;
  if (name === null || code === null) {
    const field = name === null ? 'error' : 'code';
    findings.report('error-incomplete', at, 'expected it in every error, got nothing', field);
  }
  return { kind: 'error', context: contextIn(frame), name, code };
}
