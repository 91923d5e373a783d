import type { TranscriptPart } from './words.ts';

/** Limits of a page. Each segment is an element or a text node, and their layout costs time by the character. */
const PAGE_SEGMENTS = 1200;
const PAGE_CHARS = 6000;

/** The part of a turn's text that exists as elements. Ends are exclusive. */
export interface TextPage {
  parts: readonly TranscriptPart[];
  /** Index in the turn of the first part and of the first word. */
  firstPart: number;
  firstWord: number;
  endWord: number;
}

/** Divides the text of a turn into pages. A turn of ordinary length has one, which has the parts of the layout. */
export function pagesOf(parts: readonly TranscriptPart[]): readonly TextPage[] {
  const pages: TextPage[] = [];
  let page: { parts: TranscriptPart[]; firstPart: number; firstWord: number } | null = null;
  let room = { segments: PAGE_SEGMENTS, chars: PAGE_CHARS };
  let word = 0;
  const close = () => {
    if (page) pages.push({ ...page, endWord: word });
    page = null;
    room = { segments: PAGE_SEGMENTS, chars: PAGE_CHARS };
  };
  for (const [at, part] of parts.entries()) {
    let from = 0;
    for (const [place, { kind, text }] of part.segments.entries()) {
      if (room.segments === 0 || (room.chars < text.length && page)) {
        if (place > from) page?.parts.push(slice(part, from, place));
        close();
        from = place;
      }
      page ??= { parts: [], firstPart: at, firstWord: word };
      room.segments -= 1;
      room.chars -= text.length;
      if (kind === 'word') word += 1;
    }
    page ??= { parts: [], firstPart: at, firstWord: word };
    page.parts.push(slice(part, from, part.segments.length));
  }
  close();
  return pages;
}

/** Returns the page of a word; the last one for a word behind all pages. */
export function pageOfWord(pages: readonly TextPage[], word: number): number {
  const at = pages.findIndex(({ endWord }) => word < endWord);
  return at < 0 ? Math.max(0, pages.length - 1) : at;
}

/** Returns the page on which a part begins. */
export const pageOfPart = (pages: readonly TextPage[], part: number): number =>
  Math.max(
    0,
    pages.findIndex(({ firstPart, parts }) => part < firstPart + parts.length),
  );

const slice = (part: TranscriptPart, from: number, to: number): TranscriptPart =>
  from === 0 && to === part.segments.length ? part : { ...part, segments: part.segments.slice(from, to) };
