import { ArrowDown, AudioLines } from 'lucide-react';
import { type UIEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { shallow } from 'zustand/shallow';
import { speakKeys } from '../../browser/shortcuts.ts';
import {
  useRegionLabel,
  useSelection,
  useSession,
  useSessionClient,
} from '../../session-client/provider.tsx';
import {
  type SessionState,
  selectHeard,
  selectIsUnheard,
  selectNext,
} from '../../session-client/session-state.ts';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { Button, Kbd } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Lights, LightsContext } from './lights.ts';
import { scrollFor } from './scroll.ts';
import { joined, TurnHeights } from './turn-window.ts';
import { useShownTurns } from './use-shown-turns.ts';

const TurnBlock = later({ name: 'The turn', when: 'first' }, () =>
  import('./turn-block.tsx').then((module) => module.TurnBlock),
);

/** Distance from the end that counts as the end. */
const END_PX = 24;
/** Scrolling within this time after a wheel, touch or key event is the reader's; other scrolling is the page's own. */
const INPUT_MS = 1000;
/** Gap between turns, the same as in the styles. */
const GAP_PX = 24;
/** Turns are rendered this far beyond the view. */
const OVERSCAN_PX = 200;
/** The window moves in steps, so that most scrolls render nothing. */
const STEP_PX = 100;

/** Returns the current turn: the one that is heard, else the next one to be heard. A repeat does not change it. */
const selectCurrent = (state: SessionState): number | null =>
  (state.player.repeating ? null : selectHeard(state)) ?? selectNext(state);

const problemsOf = (state: SessionState, turn: number | null): number =>
  state.problems.filter((problem) => problem.turn === turn && problem.severity === 'error').length;

/**
 * The turns of the session, of which only those in view exist. The view follows the current turn, which has large
 * type. After the reader scrolls up, nothing moves until they scroll back to the end.
 */
export function Transcript() {
  const client = useSessionClient();
  const label = useRegionLabel('Transcript');
  const lights = useMemo(() => new Lights(client), [client]);
  useEffect(() => lights.start(), [lights]);
  const current = useSession(selectCurrent);
  const selected = useSelection(({ selected, by }) =>
    by === 'transcript' ? null : (selected?.turn ?? null),
  );
  const ids = useShownTurns(
    useSession((state) => state.turnIds),
    [current, selected],
  );
  const isUnheard = useSession(selectIsUnheard);
  const newest = ids.at(-1) ?? null;
  const box = useRef<HTMLElement>(null);
  const lastTop = useRef(0);
  const lastInputMs = useRef(Number.NEGATIVE_INFINITY);
  const [following, setFollowing] = useState(true);
  // A change of the large turn changes heights, so it waits while the reader is elsewhere.
  const [kept, setKept] = useState(current);
  if (following && newest !== null && kept !== current) setKept(current);
  const large = following ? current : kept;

  const heights = useMemo(() => new TurnHeights(), []);
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ topPx: 0, heightPx: 0 });
  const look = useCallback(() => {
    const node = box.current;
    if (!node) return;
    measure(list.current, heights);
    const next = {
      topPx: Math.floor(node.scrollTop / STEP_PX) * STEP_PX,
      heightPx: Math.ceil(node.clientHeight / STEP_PX) * STEP_PX,
    };
    setView((before) => (shallow(before, next) ? before : next));
  }, [heights]);
  const windowAt = (topPx: number, bottomPx: number) =>
    heights.between(ids, topPx - OVERSCAN_PX, bottomPx + STEP_PX + OVERSCAN_PX);
  const inView = windowAt(view.topPx, view.topPx + view.heightPx);
  const largeAt = large === null ? -1 : ids.indexOf(large);
  // The view moves to the current turn, which has to exist before.
  const isAway = following && largeAt >= 0 && (largeAt < inView.first || largeAt >= inView.end);
  const currentPx = isAway ? heights.topOf(ids, largeAt) : 0;
  const windows = isAway
    ? joined(inView, windowAt(currentPx - view.heightPx, currentPx + view.heightPx))
    : [inView];
  const turns = windows.flatMap(({ first, end }, at) => [
    <Spacer
      key={`before ${first}`}
      heightPx={heights.topOf(ids, first) - heights.topOf(ids, windows[at - 1]?.end ?? 0)}
    />,
    ...ids
      .slice(first, end)
      .map((id, index) => <TurnBlock key={id} id={id} number={first + index + 1} large={id === large} />),
  ]);
  const afterPx = heights.topOf(ids, ids.length) - heights.topOf(ids, windows.at(-1)?.end ?? 0);

  const toCurrent = useCallback((onlyIfItFits = false) => {
    const node = box.current;
    const turn = node?.querySelector<HTMLElement>('[data-turn-size="now"]');
    if (!node || !turn) return;
    const room = node.clientHeight - 2 * END_PX;
    const isLast = turn.nextElementSibling === null;
    const isTall = turn.offsetHeight > room;
    // In a turn taller than the view, the view follows the words instead.
    if (isTall && onlyIfItFits) return;
    if (isTall) node.scrollTop = turn.offsetTop - END_PX;
    else if (isLast) node.scrollTop = node.scrollHeight;
    else node.scrollTop = turn.offsetTop - (room - turn.offsetHeight) / 2;
    lastTop.current = node.scrollTop;
  }, []);

  // The current turn stays in view while turns are added behind it.
  useLayoutEffect(() => {
    void current;
    measure(list.current, heights);
    if (following && newest !== null) toCurrent();
  }, [current, newest, following, toCurrent, heights]);

  // The notices of a turn taller than the view are below it, out of sight.
  const problems = useSession((state) => problemsOf(state, current));
  useLayoutEffect(() => {
    const node = box.current;
    if (!node || !following || problems === 0) return;
    node.querySelector('[data-turn-size="now"]')?.scrollIntoView({ block: 'end' });
    lastTop.current = node.scrollTop;
  }, [following, problems]);

  useEffect(() => {
    if (!following) return;
    return lights.follow((word) => {
      const node = box.current;
      if (!node?.contains(word)) return;
      const top = scrollFor(word.getBoundingClientRect(), node.getBoundingClientRect(), node.scrollTop);
      if (top === null) return;
      node.scrollTop = top;
      lastTop.current = node.scrollTop;
    });
  }, [following, lights]);

  // The height of the box depends on the measures below it and on the window, that of its content on text and notices.
  useEffect(() => {
    const node = box.current;
    if (!node || !following) return;
    const observer = new ResizeObserver(() => toCurrent(true));
    observer.observe(node);
    if (node.firstElementChild) observer.observe(node.firstElementChild);
    return () => observer.disconnect();
  }, [following, toCurrent]);

  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return;
    look();
    // Turns grow while they are received. The observer runs when their heights are known anyway.
    const observer = new ResizeObserver(look);
    observer.observe(node);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, [look]);

  // A turn that another panel selects may be out of the window.
  useLayoutEffect(() => {
    const node = box.current;
    const { turnIds } = client.state;
    const at = selected === null ? -1 : turnIds.indexOf(selected);
    if (!node || at < 0 || list.current?.querySelector(`[data-turn="${selected}"]`)) return;
    setFollowing(false);
    node.scrollTop = heights.topOf(turnIds, at);
    look();
  }, [selected, client, heights, look]);

  const touched = () => {
    lastInputMs.current = performance.now();
  };
  const scrolled = (event: UIEvent<HTMLElement>) => {
    const node = event.currentTarget;
    const isUp = node.scrollTop < lastTop.current - 2;
    const isAtEnd = node.scrollHeight - node.clientHeight - node.scrollTop < END_PX;
    lastTop.current = node.scrollTop;
    look();
    if (performance.now() - lastInputMs.current > INPUT_MS) return;
    if (isAtEnd) setFollowing(true);
    else if (isUp) setFollowing(false);
  };

  return (
    <LightsContext value={lights}>
      <div className="relative min-h-0 flex-1">
        <ScrollRegion
          ref={box}
          label={label}
          onScroll={scrolled}
          onWheel={touched}
          onTouchMove={touched}
          onKeyDown={touched}
          onPointerDown={touched}
          className="h-full overflow-y-auto overscroll-contain [overflow-anchor:auto] [scrollbar-gutter:stable_both-edges] fade-below outline-offset-[-2px]"
        >
          <div
            ref={list}
            data-unheard={isUnheard || undefined}
            className="mx-auto flex min-h-full max-w-[944px] flex-col justify-end gap-6 px-4 pt-6 pb-8 in-data-demo:max-w-[1760px] in-data-demo:justify-center in-data-demo:px-[7%]"
          >
            {ids.length === 0 ? (
              <Empty />
            ) : (
              <>
                {turns}
                <Spacer heightPx={afterPx} />
              </>
            )}
          </div>
        </ScrollRegion>
        {!following && ids.length > 0 && (
          <Button
            size="small"
            icon={ArrowDown}
            onClick={() => setFollowing(true)}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 bg-surface-raised shadow-high hover:bg-surface-raised"
          >
            Newest turn
          </Button>
        )}
      </div>
    </LightsContext>
  );
}

/** Takes the place of turns out of view. */
const Spacer = ({ heightPx }: { heightPx: number }) =>
  heightPx > 0 && <div aria-hidden className="shrink-0" style={{ height: heightPx - GAP_PX }} />;

function measure(list: HTMLElement | null, heights: TurnHeights): void {
  for (const turn of list?.querySelectorAll<HTMLElement>(':scope > [data-turn]') ?? []) {
    heights.measured(Number(turn.dataset.turn), turn.offsetHeight + GAP_PX);
  }
}

function Empty() {
  const isUnheard = useSession(selectIsUnheard);
  const asks = useSettings((state) => state.source === 'live');
  const name = useSettings(selectSpeakName);
  return (
    <div className="m-auto flex max-w-md flex-col items-center gap-3 py-8 text-center">
      <AudioLines aria-hidden className="size-6 text-text-subtle" strokeWidth={1.5} />
      <p className="text-20 font-medium tracking-tight text-balance text-text">
        {isUnheard ? 'This client has not spoken yet' : 'Nothing has been spoken yet'}
      </p>
      {isUnheard ? (
        <p className="text-14 text-pretty text-text-muted">
          Its turns appear here with the words as it receives them. Press{' '}
          <strong className="font-medium text-text">Listen</strong> to hear them here too.
        </p>
      ) : (
        <p className="text-14 text-pretty text-text-muted">
          {asks ? 'Write a question and press ' : 'Press '}
          <strong className="font-medium text-text">{name}</strong>
          <span className="touch:hidden">
            {' '}
            or <Kbd keys={speakKeys()} className="text-text" />
          </span>
          . {asks ? 'The answer' : 'The text'} appears here in large type, and each word lights up as it
          leaves your speakers.
        </p>
      )}
    </div>
  );
}
