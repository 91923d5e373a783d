import { beforeEach, describe, expect, it, vi } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { Command } from '#session/commands.ts';
import { chunkView, turnReport, turnView } from '#session/testing/views.ts';
import { type AnswerView, NO_SOURCE, type TurnView } from '#session/views.ts';
import { MAX_QUESTION_CHARS } from '#text/chat/chat-request.ts';
import { SessionClient, type SessionPort } from '../../session-client/session-client.ts';
import { fakePage } from '../../session-client/testing/page.ts';
import { useKeys } from '../../stores/key-store.ts';
import { newMember, useScene } from '../../stores/scene-store.ts';
import { DEFAULT_LIVE_MODEL, useSettings } from '../../stores/settings-store.ts';
import { editEntry, useDialogue } from '../live-model/dialogue.ts';
import { performPart, speak, takeSpoken } from './intents.ts';
import { controlsNow } from './use-controls.ts';

/** A client whose commands go nowhere. */
function silentClient(): { client: SessionClient; commands: Command[] } {
  const commands: Command[] = [];
  const sound = { wake() {}, heardMs: () => 0, halt() {}, setVoiceGain() {} };
  const port = { post: (command: Command) => commands.push(command), sound };
  const client = new SessionClient(port as unknown as SessionPort, {
    endpoint: 'kugel-stream',
    hasCast: true,
    isImmediate: true,
  });
  return { client, commands };
}

async function ask(client: SessionClient, question: string): Promise<void> {
  useDialogue.setState({ question });
  speak(client);
  await vi.dynamicImportSettled();
}

const asked = (commands: readonly Command[]) => commands.filter((command) => command.type === 'ask');
const liveModel = {
  ...DEFAULT_LIVE_MODEL,
  base: 'http://localhost:1/v1/',
  model: ' m ',
  systemPrompt: 'Be brief.',
};

beforeEach(() => {
  fakePage();
  useSettings.setState({ endpoint: 'kugel-stream', source: 'live', liveModel });
  useDialogue.setState({ entries: [], speaker: null });
  useKeys.setState({
    keys: { 'liveModel/http://localhost:1/v1': 'sk-1', 'liveModel/http://other/v1': 'sk-2' },
  });
});

describe('a question', () => {
  it.each([
    ['nothing to ask', ' ', {}, 'no question'],
    ['a question that is too long', 'x'.repeat(MAX_QUESTION_CHARS + 1), {}, 'Shorten it'],
    ['no model', 'Why?', { model: ' ' }, 'No model is chosen'],
    ['an address of another kind', 'Why?', { base: 'ws://localhost:1' }, 'must start with http://'],
  ])('is not asked, with a reason, where there is %s', async (_, question, change, reason) => {
    const { client, commands } = silentClient();
    useSettings.setState({ liveModel: { ...liveModel, ...change } });
    await ask(client, question);
    expect(controlsNow(client).speak).toContain(reason);
    expect(useDialogue.getState().question).toBe(question);
    expect(commands).toEqual([]);
  });

  it('is not asked, with a reason, where a scene has nobody who could answer', async () => {
    useSettings.setState({ endpoint: 'kugel-multi' });
    useScene.setState({ cast: [] });
    const { client, commands } = silentClient();
    await ask(client, 'Why?');
    expect(controlsNow(client).speak).toContain('no speaker');
    expect(commands).toEqual([]);
  });

  it('sends the model, its own key and the system prompt', async () => {
    const { client, commands } = silentClient();
    await ask(client, ' Why? ');
    expect(useDialogue.getState().question).toBe('');
    expect(asked(commands)).toMatchObject([
      {
        question: 'Why?',
        context: '',
        chat: {
          base: 'http://localhost:1/v1',
          model: 'm',
          key: 'sk-1',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Why?' },
          ],
        },
      },
    ]);
  });

  /** One sample is one ms; each word takes 1 s, and was heard from 0 on. */
  const spoken = (request: number, text: string, change: Partial<TurnView>): TurnView => {
    const words = [...text.matchAll(/\p{L}+/gu)].map(({ 0: word, index }, at) => ({
      word,
      startMs: at * 1000,
      endMs: (at + 1) * 1000,
      charStart: index,
      charEnd: index + word.length,
    }));
    const samples = words.length * 1000;
    const answer = { request, turn: 1, state: 'done', endedMs: 5, characters: text.length } as AnswerView;
    return turnView({
      origin: 'live',
      text,
      answer,
      sampleRate: 1000,
      samples,
      chunks: [chunkView({ text, words, samples })],
      ...change,
    });
  };

  it('has in its history what was heard of an answer that the question cuts off', async () => {
    const { client, commands } = silentClient();
    await ask(client, 'One?');
    const [first] = asked(commands);
    const played = [{ sample: 0, count: 2500, atMs: 0 }];
    const answer = spoken(first?.request ?? 0, 'Alpha, beta. Gamma delta.', {
      state: 'cancelled',
      heardFromMs: 0,
      heardToMs: 2500,
      silencedMs: 2500,
      played,
    });
    client.receive({ turns: [turnReport(answer)] });
    await ask(client, 'Two?');
    expect(asked(commands)[1]?.chat.messages.slice(1)).toEqual([
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'Alpha, beta.' },
      { role: 'user', content: 'Two?' },
    ]);
  });

  it('cancels what is spoken before it asks', async () => {
    const { client, commands } = silentClient();
    client.receive({ turns: [turnReport(turnView({ state: 'receiving' }))] });
    await ask(client, 'Why?');
    expect(commands.map(({ type }) => type)).toEqual(['cancel', 'ask']);
  });

  it('sends an edited answer as it was edited', async () => {
    const { client, commands } = silentClient();
    await ask(client, 'One?');
    editEntry(useDialogue.getState().entries[1]?.id ?? 0, 'My words.');
    await ask(client, 'Two?');
    expect(asked(commands)[1]?.chat.messages[2]).toEqual({ role: 'assistant', content: 'My words.' });
  });
});

describe('a scene', () => {
  const inScene = (script: string) => {
    const cast = ['Ann', 'Bob'].map((name, at) => newMember(name, at, endpointOf('kugel-multi'), undefined));
    useSettings.setState({ endpoint: 'kugel-multi', source: 'typed' });
    useScene.setState({ cast, script });
  };

  it.each([
    ['its last speaker', 'Ann: Hi.\nBob: Yes.\n', 'Ann: Hi.\nBob: Yes.\nBob: So: go on.'],
    ['the first of its cast before any other line', '', 'Ann: So: go on.'],
  ])('has what a person said as a line of %s', (_, script, expected) => {
    inScene(script);
    takeSpoken(silentClient().client, 'So: go on.');
    expect(useScene.getState().script).toBe(expected);
  });

  it('speaks no line of a speaker for whom the live model writes, and lines of all others', () => {
    inScene('Ann: Hi.\nBob: Yes.');
    const { client, commands } = silentClient();
    const writing = turnView({ context: 'ann', origin: 'live', state: 'sending' });
    client.receive({
      turns: [turnReport(writing)],
      source: { ...NO_SOURCE, model: 'live', state: 'running' },
    });
    performPart(client, 'line', 0);
    expect(commands).toEqual([]);
    performPart(client, 'line', 1);
    expect(commands).toMatchObject([{ type: 'perform', lines: [{ speaker: 'bob' }] }]);
  });
});
