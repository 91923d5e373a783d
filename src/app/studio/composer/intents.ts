import type { ScriptLine } from '#session/commands.ts';
import { formatScript, parseScript } from '#text/script.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { useMicrophone } from '../../stores/microphone-store.ts';
import { castOf, scriptOf, useScene } from '../../stores/scene-store.ts';
import { selectDraft, selectEndpoint, selectLineSource, useSettings } from '../../stores/settings-store.ts';
import { useDialogue } from '../live-model/dialogue.ts';
import { answeringNow } from '../live-model/model-target.ts';
import { flushLive } from './live-box.ts';
import { controlsNow } from './use-controls.ts';
import { linesNow, partReasonsNow } from './use-lines.ts';

/** Speaks the composer's content: all of the text, the unsent rest of it, a simulated model's, or the answer of a live one. */
export function speak(client: SessionClient): void {
  if (controlsNow(client).speak !== null) return;
  const page = useSettings.getState();
  const text = selectDraft(page);
  if (page.source === 'live') void ask(client);
  else if (selectEndpoint(page).contexts) perform(client, linesNow(selectEndpoint(page)));
  else if (page.source === 'typed' && page.sendWhileTyping) flushLive(client);
  else client.speak(text, selectLineSource(page));
}

/** Asks the live model, and speaks its answer. The question cuts off present speech. */
async function ask(client: SessionClient): Promise<void> {
  const { question } = useDialogue.getState();
  const context = answeringNow();
  if (context === null) return;
  useDialogue.setState({ question: '' });
  // The output opens in the gesture, which may be over once the code has loaded.
  client.sound.wake();
  const loaded = await import('../live-model/asking.ts').catch(() => null);
  // A question that was not asked returns to the box, unless another one is there.
  if (!loaded) useDialogue.setState((state) => ({ question: state.question || question }));
  else loaded.sendQuestion(client, question.trim(), context);
}

/**
 * Puts what a person said into the composer: as a question to the live model, as its text, or as a further line of the
 * last speaker in a script. Hands-free, a question is asked and a text spoken at once.
 */
export function takeSpoken(client: SessionClient, text: string): void {
  const page = useSettings.getState();
  const endpoint = selectEndpoint(page);
  const { isHandsFree } = useMicrophone.getState();
  if (page.source === 'live') {
    useDialogue.setState({ question: text });
    if (isHandsFree) speak(client);
  } else if (endpoint.contexts) {
    const scene = useScene.getState();
    const script = scriptOf(scene).trimEnd();
    // Without a name, the text would continue the line before it.
    const speaker = parseScript(script).lines.at(-1)?.speaker ?? castOf(scene, endpoint)[0]?.name;
    const line = speaker === undefined ? text : formatScript([{ speaker, text }]);
    scene.set({ script: `${script}\n${line}`.trimStart() });
  } else {
    useSettings.setState({ draft: text, sendWhileTyping: false });
    if (isHandsFree) speak(client);
  }
}

export function flush(client: SessionClient): void {
  if (controlsNow(client).flush !== null) return;
  const page = useSettings.getState();
  if (page.source === 'typed' && page.sendWhileTyping) flushLive(client);
  else client.send({ type: 'flush' });
}

export function cancel(client: SessionClient): void {
  if (controlsNow(client).cancel === null) client.cancel();
}

export function performPart(client: SessionClient, part: 'line' | 'from', line: number): void {
  const endpoint = selectEndpoint(useSettings.getState());
  if (partReasonsNow(client, endpoint, controlsNow(client).speakLines)[part](line) !== null) return;
  const lines = linesNow(endpoint);
  perform(
    client,
    lines.filter((one) => (part === 'line' ? one.line === line : one.line >= line)),
  );
}

const perform = (client: SessionClient, lines: readonly ScriptLine[]): void =>
  client.speak(lines, selectLineSource(useSettings.getState()), useScene.getState().closeAfter);
