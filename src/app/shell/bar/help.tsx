import { Suspense } from 'react';
import { create } from 'zustand';
import { later } from '../../browser/later.ts';

/** Whether the list of keys is open; null until it has been opened once. */
export const useHelp = create<{ open: boolean | null }>()(() => ({ open: null }));

const HelpDialog = later(() => import('./help-dialog.tsx').then((module) => module.HelpDialog));

export function Help() {
  const open = useHelp((state) => state.open);
  if (open === null) return null;
  return (
    <Suspense fallback={null}>
      <HelpDialog open={open} onClose={() => useHelp.setState({ open: false })} />
    </Suspense>
  );
}
