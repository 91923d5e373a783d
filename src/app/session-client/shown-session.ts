import type { EnvelopePart } from '#session/playback/envelopes.ts';
import type { ReplayView } from '#session/replay/messages.ts';
import type { Mark, SessionUpdate } from '#session/views.ts';
import { useSelection } from '../stores/selection-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useTurnChoice } from '../stores/turn-choice.ts';
import { laneMarks } from './lane-marks.ts';
import { forgetPlaces } from './lights.ts';
import { useReplay } from './replay-store.ts';
import { applyUpdate, emptySession, type SessionState, useSession } from './session-store.ts';
import type { EnvelopeContents } from './timeline/envelope-store.ts';
import type { LaneContents } from './timeline/lane-store.ts';
import { envelopes, timeline } from './timeline.ts';

/**
 * One session is shown at a time. While that is a replay's, the live one is kept here, and goes on unseen; when the
 * replay is left it is there as it is by then.
 */
interface Aside {
  session: SessionState;
  marks: LaneContents;
  newMarks: Mark[];
  envelopes: EnvelopeContents;
  newEnvelopes: EnvelopePart[];
}

let aside: Aside | null = null;
/** The worker has been told that the replay is left, and has not said that it has. */
let isLeaving = false;
/** The endpoint that the person had chosen. */
let endpointBefore: string | null = null;
/** Of the replay, whose session is shown. */
let shownRun: number | null = null;

/** Takes a report that is not of the session that is shown; false where it is. */
export function takeAside(update: SessionUpdate, run: number | null): boolean {
  if (run === shownRun) return false;
  if (run === null && aside) {
    aside.session = applyUpdate(aside.session, update);
    // One by one: how many there are nobody knows.
    for (const mark of update.marks ?? []) aside.newMarks.push(mark);
    for (const part of update.envelopes ?? []) aside.newEnvelopes.push(part);
  }
  return true;
}

/** The replay stands there now, or has been left (null). */
export function takeReplay(replay: ReplayView | null): void {
  const { replay: before } = useReplay.getState();
  // What was told before the worker knew that the replay is left.
  if (isLeaving && replay) return;
  isLeaving = false;
  if ((replay?.run ?? null) !== shownRun) show(replay?.run ?? null);
  useReplay.setState({ replay });
  if (replay && before?.recording.id !== replay.recording.id) {
    // The page's own target does not follow: see `SessionLink`.
    endpointBefore ??= useSettings.getState().endpoint;
    useSettings.setState({ endpoint: replay.recording.endpoint });
  } else if (before && !replay && endpointBefore !== null) {
    const { endpoint } = useSettings.getState();
    // Whoever has chosen another meanwhile wants that.
    if (endpoint === before.recording.endpoint) useSettings.setState({ endpoint: endpointBefore });
    endpointBefore = null;
  }
}

/** Shows the live session at once; the worker is told by whoever calls. */
export function leaveShown(): void {
  takeReplay(null);
  isLeaving = true;
}

function show(run: number | null): void {
  if (shownRun === null) {
    aside = {
      session: useSession.getState(),
      marks: laneMarks.exchange(null),
      newMarks: [],
      envelopes: envelopes.exchange(null),
      newEnvelopes: [],
    };
  }
  shownRun = run;
  // Numbers of turns mean others now.
  useSelection.setState({ selected: null, by: null });
  useTurnChoice.setState({ turn: null });
  forgetPlaces();
  if (run === null && aside) {
    useSession.setState(aside.session, true);
    laneMarks.exchange(aside.marks);
    laneMarks.append(aside.newMarks);
    envelopes.exchange(aside.envelopes);
    envelopes.take(aside.newEnvelopes);
    aside = null;
  } else {
    useSession.setState(emptySession(), true);
    laneMarks.exchange(null);
    envelopes.exchange(null);
  }
  timeline.follow(true);
}
