import { create } from 'zustand';
import { later } from '../../ui/later.tsx';

/** Whether the list of keys is open. */
export const useHelp = create(() => ({ open: false }));

const HelpDialog = later('The list of keys', () =>
  import('./help-dialog.tsx').then((module) => module.HelpDialog),
);

export function Help() {
  const open = useHelp((state) => state.open);
  return open && <HelpDialog onClose={() => useHelp.setState({ open: false })} />;
}
