import type { ScriptLine } from '#session/messages.ts';
import { sessionLink } from '../../session-client/session-link.ts';
import { selectDraft, selectEndpoint, selectProfile, useSettings } from '../../stores/settings-store.ts';
import { flushLive } from './live-box.ts';
import { controlsNow } from './use-controls.ts';
import { linesNow, partReasonsNow } from './use-lines.ts';

/** What Speak does with the composer as it is: all of the text, the rest of it, or a simulated model. */
export function speak(): void {
  if (controlsNow().reasons.speak !== null) return;
  const page = useSettings.getState();
  const text = selectDraft(page);
  if (selectEndpoint(page).contexts) perform(linesNow(selectEndpoint(page)));
  else if (page.source === 'simulated') sessionLink.simulate(text, selectProfile(page), page.simulation.seed);
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

/** One line of the script. */
export function performLine(line: number): void {
  const endpoint = selectEndpoint(useSettings.getState());
  if (partReasonsNow(endpoint, controlsNow().reasons.speakLines).line(line) !== null) return;
  perform(linesNow(endpoint).filter((candidate) => candidate.line === line));
}

/** The script from that line on. */
export function performFrom(line: number): void {
  const endpoint = selectEndpoint(useSettings.getState());
  if (partReasonsNow(endpoint, controlsNow().reasons.speakLines).from(line) !== null) return;
  perform(linesNow(endpoint).filter((candidate) => candidate.line >= line));
}

function perform(lines: readonly ScriptLine[]): void {
  const page = useSettings.getState();
  sessionLink.perform(
    lines,
    page.source === 'simulated'
      ? { kind: 'simulated', profile: selectProfile(page), seed: page.simulation.seed }
      : { kind: 'whole' },
  );
}
