import { Presentation } from 'lucide-react';
import { setDemo } from '../../stores/demo-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';

/** The words alone, large, for a screen that many look at. */
export const DemoButton = () => (
  <IconButton label="Demo mode" icon={Presentation} tooltipSide="bottom" onClick={() => setDemo(true)} />
);
