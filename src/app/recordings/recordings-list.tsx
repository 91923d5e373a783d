import { create } from 'zustand';
import { later } from '../ui/later.tsx';

/** Whether the list of recordings is open; null until it has been opened once. */
const useList = create<{ open: boolean | null }>()(() => ({ open: null }));

export const openRecordings = (): void => useList.setState({ open: true });

const RecordingsDialog = later('The list of recordings', () =>
  import('./recordings-dialog.tsx').then((module) => module.RecordingsDialog),
);

/** The list of recordings and clients, which buttons in several panels open. */
export function RecordingsList() {
  const open = useList((state) => state.open);
  if (open === null) return null;
  return <RecordingsDialog open={open} onClose={() => useList.setState({ open: false })} />;
}
