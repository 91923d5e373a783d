import { create } from 'zustand';
import type { SessionClient } from '../../session-client/session-client.ts';
import { cutAtLastSpace } from './text-rules.ts';

/**
 * The text box while “Send while typing” is on. Text leaves it when it is certain: up to the last white space at once,
 * the last word after a pause. The rest can still be corrected; sent text cannot.
 */
export const useLiveBox = create<{ text: string }>()(() => ({ text: '' }));

export function typeLive(client: SessionClient, text: string): void {
  const { send, keep } = cutAtLastSpace(text);
  if (send !== '') client.send({ type: 'say', text: send, origin: 'typed' });
  useLiveBox.setState({ text: keep });
}

export function sendRest(client: SessionClient): void {
  const { text } = useLiveBox.getState();
  if (text.trim() === '') return;
  client.send({ type: 'say', text, origin: 'typed' });
  useLiveBox.setState({ text: '' });
}

export function flushLive(client: SessionClient): void {
  sendRest(client);
  client.send({ type: 'flush' });
}
