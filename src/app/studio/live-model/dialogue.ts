import { create } from 'zustand';
import type { HistoryEntry } from '#text/chat/chat-request.ts';

/** A message of the conversation with the live model. */
export interface DialogueEntry extends HistoryEntry {
  id: number;
  /** The request whose answer it follows while that is spoken; null for a text that stays as it is. */
  request: number | null;
}

interface DialogueState {
  /** The question in the text box. */
  question: string;
  /** Oldest first, within the limits of `boundedHistory`. */
  entries: readonly DialogueEntry[];
  /** Speaker of the answers in a scene; null for the first of the cast. */
  speaker: string | null;
}

/** The conversation with the live model. A reload forgets it, like the turns that it belongs to. */
export const useDialogue = create<DialogueState>()(() => ({ question: '', entries: [], speaker: null }));

/** Replaces the text of an entry, which follows its answer no longer. */
export const editEntry = (id: number, content: string): void =>
  useDialogue.setState(({ entries }) => ({
    entries: entries.map((entry) => (entry.id === id ? { ...entry, content, request: null } : entry)),
  }));

export const removeEntry = (id: number): void =>
  useDialogue.setState(({ entries }) => ({ entries: entries.filter((entry) => entry.id !== id) }));

export const clearDialogue = (): void => useDialogue.setState({ entries: [] });
