import type { LineSource, ScriptLine } from '#session/messages.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { useScene } from '../../stores/scene-store.ts';
import { selectDraft, selectEndpoint, selectProfile, useSettings } from '../../stores/settings-store.ts';
import { flushLive } from './live-box.ts';
import { controlsNow } from './use-controls.ts';
import { linesNow, partReasonsNow } from './use-lines.ts';

/** Speaks the composer's content: all of the text, the unsent rest of it, or a simulated model's. */
export function speak(client: SessionClient): void {
  if (controlsNow(client).reasons.speak !== null) return;
  const page = useSettings.getState();
  const text = selectDraft(page);
  if (selectEndpoint(page).contexts) perform(client, linesNow(selectEndpoint(page)));
  else if (page.source === 'simulated') {
    client.send({ type: 'simulate', text, profile: selectProfile(page), seed: page.simulation.seed });
  } else if (page.sendWhileTyping) flushLive(client);
  else client.send({ type: 'speak', text });
}

export function flush(client: SessionClient): void {
  if (controlsNow(client).reasons.flush !== null) return;
  const page = useSettings.getState();
  if (page.source === 'typed' && page.sendWhileTyping) flushLive(client);
  else client.send({ type: 'flush' });
}

export function cancel(client: SessionClient): void {
  if (controlsNow(client).reasons.cancel === null) client.cancel();
}

export function performPart(client: SessionClient, part: 'line' | 'from', line: number): void {
  const endpoint = selectEndpoint(useSettings.getState());
  if (partReasonsNow(client, endpoint, controlsNow(client).reasons.speakLines)[part](line) !== null) return;
  const lines = linesNow(endpoint);
  perform(
    client,
    lines.filter((one) => (part === 'line' ? one.line === line : one.line >= line)),
  );
}

function perform(client: SessionClient, lines: readonly ScriptLine[]): void {
  const page = useSettings.getState();
  const source: LineSource =
    page.source === 'simulated'
      ? { kind: 'simulated', profile: selectProfile(page), seed: page.simulation.seed }
      : { kind: 'whole' };
  client.send({ type: 'perform', lines, source, closeAfter: useScene.getState().closeAfter });
}
