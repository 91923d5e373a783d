import { heardMs } from '../browser/clock.ts';
import { paint } from '../browser/paint.ts';
import { Highlighter } from './highlighter.ts';
import { Playheads } from './played.ts';
import { isLive, trackOf, useSession } from './session-store.ts';

/** Hears which element is being spoken; the transcript scrolls after it. */
type Follower = (node: HTMLElement) => void;

const followers = new Set<Follower>();
let places = new Playheads();

/** The words of all turns in view. */
export const highlighter = new Highlighter((node) => {
  for (const follower of followers) follower(node);
});

/** The turns are those of another session from now on. */
export function forgetPlaces(): void {
  places = new Playheads();
  highlighter.forget();
}

/** Calls back with each word, or part, that becomes the current one. */
export function onCurrentWord(follower: Follower): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

/** Brings the words of one turn to where the play head is now. */
export function lightUp(id: number): void {
  const { turns, player } = useSession.getState();
  const turn = turns.get(id);
  if (!turn) return;
  const track = trackOf(player, turn.context);
  const plays = track.turn === id && track.state !== 'idle' && player.state !== 'detached';
  highlighter.paint(id, places.placeOf(turn), !plays && !isLive(turn, player));
}

paint.add(() => {
  const { player } = useSession.getState();
  places.follow(player, heardMs());
  for (const id of highlighter.turns) lightUp(id);
  return player.state === 'playing';
});
