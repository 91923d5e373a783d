import { sessionLink } from '../session-link.ts';
import { selectDraft, selectProfile, useSettings } from '../stores/settings-store.ts';
import { flushLive } from './live-box.ts';
import { controlsNow } from './use-controls.ts';

/** What Speak does with the composer as it is: all of the text, the rest of it, or a simulated model. */
export function speak(): void {
  if (controlsNow().reasons.speak !== null) return;
  const page = useSettings.getState();
  const text = selectDraft(page);
  if (page.source === 'simulated') sessionLink.simulate(text, selectProfile(page), page.simulation.seed);
  else if (page.sendWhileTyping) flushLive();
  else sessionLink.speak(text);
}

/** Ends the open turn, with what is still in the box. */
export function flush(): void {
  if (controlsNow().reasons.flush !== null) return;
  const page = useSettings.getState();
  if (page.source === 'typed' && page.sendWhileTyping) flushLive();
  else sessionLink.flush();
}

/** Barge-in, where there is something to abandon. */
export function cancel(): void {
  if (controlsNow().reasons.cancel === null) sessionLink.cancel();
}
