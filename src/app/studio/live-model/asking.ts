import type { TurnView } from '#session/views.ts';
import { boundedHistory, messagesOf } from '#text/chat/chat-request.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { isPending, selectBusy } from '../../session-client/session-state.ts';
import { apiTarget } from '../../stores/api-target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { heardOf, turnsOfRequest } from '../transcript/heard-text.ts';
import { useDialogue } from './dialogue.ts';

let requests = 0;
let leaveAnswer = (): void => {};

/** Asks the live model, with the history of what was heard. The question cuts off what is spoken. */
export function sendQuestion(client: SessionClient, question: string, context: string): void {
  const { sender } = client;
  settleAnswers(sender);
  // A recording has nothing to cut off; the question leaves it.
  if (client === sender && selectBusy(client.state)) client.cancel();
  const { liveModel } = useSettings.getState();
  const { entries } = useDialogue.getState();
  const messages = messagesOf(liveModel.systemPrompt, entries, question);
  requests += 1;
  const request = requests;
  const added = [
    { id: request * 2, role: 'user', content: question, request: null },
    { id: request * 2 + 1, role: 'assistant', content: '', request },
  ] as const;
  useDialogue.setState({ entries: boundedHistory([...entries, ...added]) });
  const thoughts = { tag: liveModel.thoughtTag, isFirst: liveModel.thinksFirst };
  const chat = { ...apiTarget('liveModel', liveModel, useKeys.getState()), messages, thoughts };
  client.send({ type: 'ask', request, question, context, chat });
  follow(sender, request);
}

/** Returns what was heard so far of the answer to a request; null without a recent turn of it. */
export function heardAnswer(client: SessionClient, request: number): string | null {
  const turns = turnsOfRequest(client.state, request);
  return turns.length === 0 ? null : heardOf(client, turns);
}

/** Keeps what was heard of each answer as its text, because another question cuts it off. */
function settleAnswers(client: SessionClient): void {
  leaveAnswer();
  useDialogue.setState(({ entries }) => ({
    entries: entries.map((entry) =>
      entry.request === null
        ? entry
        : { ...entry, content: heardAnswer(client, entry.request) ?? entry.content, request: null },
    ),
  }));
}

/** Settles the answer once it has been heard to its end, or cut off, because old turns lose their words. */
function follow(client: SessionClient, request: number): void {
  leaveAnswer();
  leaveAnswer = client.store.subscribe((state) => {
    const turns = turnsOfRequest(state, request);
    if (turns.length > 0 && turns.every(isOver)) settleAnswers(client);
  });
}

function isOver(turn: TurnView): boolean {
  const isWritten = turn.answer?.endedMs != null;
  // The audio thread reports the last sample of a turn that was cut off after its end.
  const isFading = turn.bargeIn !== null && turn.heardFromMs !== null && turn.bargeIn.silentMs === null;
  return isWritten && !isPending(turn) && !isFading;
}
