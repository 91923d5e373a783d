import { Bot, History } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import { ApiServerDialog } from '../../settings/api-server-dialog.tsx';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { useDialogue } from './dialogue.ts';
import { HistoryDialog } from './history-dialog.tsx';

/** The chosen model and the history. @param isCompact in a narrow column */
export function ModelBar({ isCompact = false }: { isCompact?: boolean }) {
  const model = useSettings((state) => state.liveModel.model.trim());
  const messages = useDialogue((state) => state.entries.length);
  const [open, setOpen] = useState<'model' | 'history' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button
        variant={model === '' ? 'outline' : 'ghost'}
        size="small"
        icon={Bot}
        aria-label={model === '' ? 'Model' : `Model, now ${model}`}
        aria-haspopup="dialog"
        onClick={() => setOpen('model')}
        className={isCompact ? 'max-w-32 min-w-0' : 'max-w-56 min-w-0'}
      >
        <span className="truncate">{model === '' ? 'Model' : model}</span>
      </Button>
      <Button
        variant="ghost"
        size="small"
        icon={History}
        aria-haspopup="dialog"
        aria-label={`History, ${counted(messages, 'message')}`}
        onClick={() => setOpen('history')}
        title="History"
      >
        {!isCompact && <span className="wide:@max-[560px]:hidden">History</span>}
        {messages > 0 && <span className="font-mono text-text-subtle">{messages}</span>}
      </Button>
      {open === 'model' && <ApiServerDialog use="liveModel" onClose={close} />}
      {open === 'history' && <HistoryDialog onClose={close} />}
    </>
  );
}
