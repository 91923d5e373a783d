import { create } from 'zustand';
import { later } from '../../ui/later.tsx';

/** Whether the list of keys is open; null until it has been opened once. */
export const useHelp = create<{ open: boolean | null }>()(() => ({ open: null }));

const HelpDialog = later('The list of keys', () =>
  import('./help-dialog.tsx').then((module) => module.HelpDialog),
);

export function Help() {
  const open = useHelp((state) => state.open);
  if (open === null) return null;
  return <HelpDialog open={open} onClose={() => useHelp.setState({ open: false })} />;
}
