import { yieldIfLong } from '#lib/loop-slice.ts';
import { joinMapped, type MappedText, MappedTextBuilder } from '../text/mapped-text.ts';
import type { SpokenPart } from '../text/part-builder.ts';
import { type Piece, PieceCutter, type SpeechPiece } from '../text/pieces.ts';
import type { WordClock } from '../text/word-clock.ts';

/** The limit of OpenAI's endpoint, in characters. */
const MAX_INPUT_CHARS = 4096;
/** Longest part that the cutter returns, with its tolerance of a third. Spelled parts become three times as long. */
const PART_CHARS = 1000;

/**
 * Divides a text for requests. Sentences stay together up to the limit of a request, because the engine chooses the
 * intonation and the pauses between them. The clock gets the words of each part before its pieces.
 */
export async function* inputPieces(
  parts: Iterable<SpokenPart>,
  clock: Pick<WordClock, 'add'>,
): AsyncGenerator<Piece, void, undefined> {
  const cutter = new PieceCutter();
  let open: SpeechPiece | undefined;
  for (const { runs, words } of parts) {
    clock.add(words);
    cutter.add(runs);
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
    await yieldIfLong();
  }
  if (open) yield open;
}

/** Both parts as one; undefined where they differ in manner or are too long together. */
function join(a: SpeechPiece, b: SpeechPiece): SpeechPiece | undefined {
  const length = a.mapped.text.length + b.mapped.text.length;
  if (a.spelled || b.spelled || a.rate !== b.rate || length > MAX_INPUT_CHARS) return undefined;
  return { ...b, mapped: joinMapped(a.mapped, b.mapped) };
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
