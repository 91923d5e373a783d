import { ChevronLeft, ChevronRight } from 'lucide-react';
import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { counted } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import type { Selected } from '../../session-client/selection.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { FramesAction } from './frames-action.tsx';
import { useLights } from './lights.ts';
import { type SelectedText, selectedTextOf, selectionOf } from './selected-text.ts';
import { pageOfPart, pageOfWord, pagesOf, type TextPage } from './text-pages.ts';
import { useParts } from './use-parts.ts';
import { type TranscriptPart, wordsOf } from './words.ts';

const PAGE_WORDS = 10;

/** The current turn and the lines of a scene are large, past turns are small. In the presenter, so is the line that is heard. */
export const TEXT_SIZES = {
  now: 'text-24 font-[450] wide:text-28 in-data-demo:text-presenter!',
  line: 'text-20 font-[450] wide:text-24 in-data-demo:text-presenter-small! in-data-demo:in-data-[turn-size=now]:text-presenter!',
  past: 'text-16 text-text-muted in-data-demo:text-presenter-small!',
} as const;
export type TurnSize = keyof typeof TEXT_SIZES;

interface TurnTextProps {
  turn: TurnView;
  size: TurnSize;
  /** Plays from a sample; null while the turn cannot be repeated. */
  onRepeat: ((sample: number) => void) | null;
}

/** The text of a turn, with one element per word. The highlighter lights words without React. */
export const TurnText = memo(function TurnText({ turn, size, onRepeat }: TurnTextProps) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { selection } = useSessionClient();
  const lights = useLights();
  const parts = useParts(turn);
  const words = useMemo(() => wordsOf(parts), [parts]);
  const pages = useMemo(() => pagesOf(parts), [parts]);
  const [pageAt, setPageAt] = useState(() =>
    pageOfText(selectedTextOf(selection.state.selected, turn.id, parts), pages, parts, 0),
  );
  const page = pages[Math.min(pageAt, pages.length - 1)] ?? EMPTY_PAGE;
  // A page that the reader has turned to stays until the light is on it.
  const isTurned = useRef(false);
  const turnTo = useCallback((at: number) => {
    isTurned.current = true;
    setPageAt(at);
  }, []);
  // One word of the turn is in the tab order; arrow keys move to the others.
  const [stop, setStop] = useState(0);

  useLayoutEffect(() => {
    const node = paragraph.current;
    if (!node) return;
    return lights.show({
      turn: turn.id,
      sampleRate: turn.sampleRate ?? 0,
      words,
      wordNodes: [...node.querySelectorAll<HTMLElement>('[data-word]')],
      firstWord: page.firstWord,
      onMoved: (word) => {
        const at = pageOfWord(pages, word);
        if (pages[at] === page) isTurned.current = false;
        else if (lights.isFollowed && !isTurned.current) setPageAt(at);
      },
    });
  }, [lights, turn.id, turn.sampleRate, words, pages, page]);

  // Written without React like the lights: a selection changes two elements of a turn that may have thousands.
  useLayoutEffect(() => {
    const mark = () => {
      const { selected, by } = selection.state;
      const text = selectedTextOf(selected, turn.id, parts);
      // A turn that scrolls back into view must not move the view to its old selection.
      const isFresh = selected !== null && text !== null && !revealed.has(selected);
      if (isFresh) revealed.add(selected);
      markText(paragraph.current, text, isFresh && by !== 'transcript');
      return text;
    };
    const changed = () => {
      const { selected, by } = selection.state;
      const at = pageOfText(selectedTextOf(selected, turn.id, parts), pages, parts, pageAt);
      if (by === 'transcript' || at === pageAt) mark();
      else turnTo(at);
    };
    mark();
    return selection.store.subscribe(changed);
  }, [selection, turn.id, parts, pages, pageAt, turnTo]);

  // The word to focus is on a page that is not rendered before.
  const toFocus = useRef<number | null>(null);
  useLayoutEffect(() => {
    void page;
    if (toFocus.current === null) return;
    paragraph.current?.querySelector<HTMLElement>(`[data-word="${toFocus.current}"]`)?.focus();
    toFocus.current = null;
  }, [page]);

  const indexOf = (target: EventTarget): number | null => {
    const word = target instanceof Element ? target.closest<HTMLElement>('[data-word]') : null;
    return word ? Number(word.dataset.word) : null;
  };
  const play = (index: number | null) => {
    const word = index === null ? undefined : words[index];
    selection.select(index === null ? null : selectionOf(index, turn.id, parts), 'transcript');
    if (word && onRepeat && Number.isFinite(word.startSample)) onRepeat(word.startSample);
  };
  const press = (event: MouseEvent) => {
    // A drag that selects text to copy it is not a press.
    if (getSelection()?.isCollapsed === false) return;
    play(indexOf(event.target));
  };
  const move = (event: KeyboardEvent) => {
    const index = indexOf(event.target);
    if (index === null) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      play(index);
      return;
    }
    const isRightToLeft = paragraph.current && getComputedStyle(paragraph.current).direction === 'rtl';
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: isRightToLeft ? -1 : 1,
      ArrowLeft: isRightToLeft ? 1 : -1,
      ArrowDown: PAGE_WORDS,
      ArrowUp: -PAGE_WORDS,
      Home: Number.NEGATIVE_INFINITY,
      End: Number.POSITIVE_INFINITY,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(words.length - 1, Math.max(0, index + step));
    setStop(next);
    if (next >= page.firstWord && next < page.endWord) {
      paragraph.current?.querySelector<HTMLElement>(`[data-word="${next}"]`)?.focus();
    } else {
      toFocus.current = next;
      turnTo(pageOfWord(pages, next));
    }
  };
  // Each page has a word in the tab order.
  const stopHere = stop >= page.firstWord && stop < page.endWord ? stop : page.firstWord;

  return (
    <div ref={box} className="relative min-w-0">
      <p
        ref={paragraph}
        dir="auto"
        onClick={press}
        onKeyDown={onRepeat ? move : undefined}
        className={cx('min-w-0 text-pretty break-words whitespace-pre-wrap', TEXT_SIZES[size])}
      >
        {page.parts.map((part) => (
          <Part key={partKey(part, parts.length)} part={part} stop={stopHere} playable={onRepeat !== null} />
        ))}
      </p>
      {pages.length > 1 && <PageTurner at={pages.indexOf(page)} count={pages.length} onTurn={turnTo} />}
      <CutNote turn={turn} />
      <FramesAction turn={turn.id} box={box} />
    </div>
  );
});

/** Selections that the view has moved to. */
const revealed = new WeakSet<Selected>();

/** Returns the page of a selection, or the page that is shown where it has none. */
function pageOfText(
  text: SelectedText | null,
  pages: readonly TextPage[],
  parts: readonly TranscriptPart[],
  shown: number,
): number {
  if (text === null || text === 'turn') return shown;
  if ('word' in text) return pageOfWord(pages, text.word);
  return pageOfPart(
    pages,
    parts.findIndex(({ chunk }) => chunk === text.chunk),
  );
}

const EMPTY_PAGE: TextPage = { parts: [], firstPart: 0, firstWord: 0, endWord: 0 };

/** Turns the pages of a long text. */
function PageTurner({ at, count, onTurn }: { at: number; count: number; onTurn: (at: number) => void }) {
  return (
    <div className="mt-2 flex items-center gap-2 text-12 text-text-subtle">
      <IconButton
        size="small"
        icon={ChevronLeft}
        label="Earlier words"
        disabled={at === 0}
        onClick={() => onTurn(at - 1)}
      />
      <span className="font-mono">
        page {at + 1} of {count}
      </span>
      <IconButton
        size="small"
        icon={ChevronRight}
        label="Later words"
        disabled={at === count - 1}
        onClick={() => onTurn(at + 1)}
      />
    </div>
  );
}

/** Says how much of the text is not shown. */
function CutNote({ turn }: { turn: TurnView }) {
  const cut = turn.cutChars + turn.chunks.reduce((sum, { cutChars }) => sum + cutChars, 0);
  if (cut === 0) return null;
  return (
    <p className="mt-2 text-12 text-text-subtle">
      Cut here: {counted(cut, 'more character')}. The frames have the whole text.
    </p>
  );
}

/** Marks the selection in the text, and scrolls to it if another panel has set it. */
function markText(paragraph: HTMLElement | null, text: SelectedText | null, reveal: boolean): void {
  if (!paragraph) return;
  const before = paragraph.parentElement?.querySelector<HTMLElement>('[data-selected]') ?? null;
  const now = text === 'turn' ? paragraph : text && paragraph.querySelector<HTMLElement>(selectorOf(text));
  if (before === now) return;
  delete before?.dataset.selected;
  if (!now) return;
  now.dataset.selected = 'true';
  if (reveal) now.scrollIntoView({ block: 'nearest' });
}

const selectorOf = (text: Exclude<SelectedText, 'turn'>): string =>
  'word' in text ? `[data-word="${text.word}"]` : `[data-part="${text.chunk}"]`;

interface PartProps {
  part: TranscriptPart;
  stop: number;
  playable: boolean;
}

const Part = memo(function Part({ part, stop, playable }: PartProps) {
  return (
    <span data-part={part.chunk ?? 'open'} className="rounded-control">
      {part.segments.map((segment) =>
        segment.kind === 'gap' ? (
          segment.text.trim() === '' ? (
            // Keyed like the words, or React would match spaces with other spaces when words leave the front.
            <Fragment key={`gap ${segment.before} ${segment.piece}`}>{segment.text}</Fragment>
          ) : (
            <span key={`gap ${segment.before} ${segment.piece}`} data-gap>
              {segment.text}
            </span>
          )
        ) : (
          <span
            key={segment.index}
            data-word={segment.index}
            // The initial state only: the highlighter writes the attribute afterwards.
            data-state="pending"
            {...(playable && Number.isFinite(segment.startSample)
              ? // No button: a word is the name of a place in the sound, and one of them may be “Speak”.
                { role: 'link', tabIndex: segment.index === stop ? 0 : -1 }
              : {})}
          >
            {segment.text}
          </span>
        ),
      )}
    </span>
  );
});

/** Returns keys by which pending text keeps its elements while chunks remove words from its front. */
const partKey = (part: TranscriptPart, count: number): string =>
  part.chunk !== null ? `chunk ${part.chunk}` : part.order === count - 1 ? 'rest' : `gap ${part.order}`;
