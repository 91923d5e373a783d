import { RotateCcw, SquarePen } from 'lucide-react';
import { useState } from 'react';
import { useSessionClient } from '../../../session-client/provider.tsx';
import { targetOf } from '../../../session-client/target.ts';
import { useKeys } from '../../../stores/key-store.ts';
import { selectEndpoint, useSettings } from '../../../stores/settings-store.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { type ResendSource, SendFrame } from './send-frame.tsx';

const TITLE = 'Send a frame';
const WIDTH = 'max-w-[640px]';

/** Opens the composer with a template. */
export function SendButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton label={TITLE} icon={SquarePen} size="small" onClick={() => setOpen(true)} />
      <SendDialog isOpen={isOpen} onClose={() => setOpen(false)} resend={null} />
    </>
  );
}

/** Opens the composer with an earlier frame. */
export function ResendButton({ source }: { source: ResendSource }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton label="Send again" icon={RotateCcw} size="small" onClick={() => setOpen(true)} />
      <SendDialog isOpen={isOpen} onClose={() => setOpen(false)} resend={source} />
    </>
  );
}

interface SendDialogProps {
  isOpen: boolean;
  onClose: () => void;
  resend: ResendSource | null;
}

function SendDialog({ isOpen, onClose, resend }: SendDialogProps) {
  const client = useSessionClient();
  const endpoint = useSettings(selectEndpoint);
  const keys = useKeys();
  const hasTarget = useSettings((page) => targetOf(page, keys, location.origin) !== null);
  return (
    <Dialog
      open={isOpen}
      onClose={onClose}
      title={TITLE}
      description={`To ${endpoint.title}, as it stands here. It connects first where there is no connection.`}
      width={WIDTH}
      flush
    >
      <div className="overflow-y-auto">
        <SendFrame
          endpoint={endpoint}
          resend={resend}
          disabledReason={hasTarget ? null : 'The server’s address in Set-up cannot be used'}
          onSend={(frame) => client.send({ type: 'sendFrame', frame })}
        />
      </div>
    </Dialog>
  );
}
