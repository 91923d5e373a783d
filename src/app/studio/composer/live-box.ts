import { create } from 'zustand';
import { sessionLink } from '../../session-client/session-link.ts';
import { cutAtLastSpace } from './live-typing.ts';

/** The box while “Send while typing” is on: holds only what has not been sent. */
export const useLiveBox = create<{ text: string }>()(() => ({ text: '' }));

/** Takes what is now in the box, and sends the words that are finished. */
export function typeLive(text: string): void {
  const { send, keep } = cutAtLastSpace(text);
  if (send !== '') sessionLink.say(send);
  useLiveBox.setState({ text: keep });
}

/** Sends what is left: the writer has paused. */
export function sendRest(): void {
  const { text } = useLiveBox.getState();
  if (text.trim() === '') return;
  sessionLink.say(text);
  useLiveBox.setState({ text: '' });
}

/** Sends what is left and ends the turn. */
export function flushLive(): void {
  sendRest();
  sessionLink.flush();
}
