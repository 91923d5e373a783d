import type { ReactNode } from 'react';
import { Notice } from '../ui/notice.tsx';

/** Takes the place of an editor whose code could not be loaded. */
export const NotLoaded = ({ onAgain, children }: { onAgain: () => void; children: ReactNode }) => (
  <Notice
    severity="error"
    title="The editor could not be loaded"
    action={{ label: 'Load again', onPress: onAgain }}
    className="m-2"
  >
    {children}
  </Notice>
);
