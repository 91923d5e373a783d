import { type MappedText, MappedTextBuilder } from '../text/mapped-text.ts';
import { type Piece, PieceCutter, type SpeechPiece } from '../text/pieces.ts';
import type { SpokenRun } from '../text/spoken-text.ts';

/** The limit of OpenAI's endpoint, in characters. */
const MAX_INPUT_CHARS = 4096;
/** Longest part that the cutter returns, with its tolerance of a third. Spelled parts become three times as long. */
const PART_CHARS = 1000;

/**
 * Divides a text for requests. Sentences stay together up to the limit of a request, because the engine chooses the
 * intonation and the pauses between them.
 */
export function* inputPieces(runs: readonly SpokenRun[]): Generator<Piece> {
  const cutter = new PieceCutter(runs);
  let open: SpeechPiece | undefined;
  for (let part = cutter.next(PART_CHARS); part !== undefined; part = cutter.next(PART_CHARS)) {
    const joined = open && part.kind === 'speech' ? join(open, part) : undefined;
    if (joined) {
      open = joined;
      continue;
    }
    if (open) yield open;
    open = undefined;
    if (part.kind === 'silence') yield part;
    else open = part.spelled ? { ...part, mapped: spelledOut(part.mapped) } : part;
  }
  if (open) yield open;
}

/** Both parts as one; undefined where they differ in manner or are too long together. */
function join(a: SpeechPiece, b: SpeechPiece): SpeechPiece | undefined {
  const text = a.mapped.text + b.mapped.text;
  if (a.spelled || b.spelled || a.rate !== b.rate || text.length > MAX_INPUT_CHARS) return undefined;
  return { ...b, mapped: { text, sourceAt: [...a.mapped.sourceAt, ...b.mapped.sourceAt] } };
}

/** Commas make an engine read characters one by one. */
function spelledOut({ text, sourceAt }: MappedText): MappedText {
  const out = new MappedTextBuilder();
  let at = 0;
  for (const unit of text) {
    if (at > 0) out.push(', ', sourceAt[at] ?? 0);
    out.push(unit, sourceAt[at] ?? 0);
    at += unit.length;
  }
  return out.build();
}
