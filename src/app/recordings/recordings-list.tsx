import { create } from 'zustand';
import { later } from '../ui/later.tsx';

const useList = create(() => ({ open: false }));

export const openRecordings = (): void => useList.setState({ open: true });

const RecordingsDialog = later('The list of recordings', () =>
  import('./recordings-dialog.tsx').then((module) => module.RecordingsDialog),
);

/** The list of recordings and clients, which buttons in several panels open. */
export function RecordingsList() {
  const open = useList((state) => state.open);
  return open && <RecordingsDialog onClose={() => useList.setState({ open: false })} />;
}
