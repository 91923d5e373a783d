import { RotateCcw, SquarePen } from 'lucide-react';
import { useState } from 'react';
import { useSessionClient } from '../../../session-client/provider.tsx';
import { targetOf } from '../../../session-client/target.ts';
import { useKeys } from '../../../stores/key-store.ts';
import { selectEndpoint, useSettings } from '../../../stores/settings-store.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Dialog } from '../../../ui/popups/dialog.tsx';
import { type ResendSource, SendFrame } from './send-frame.tsx';

export function SendButton({ resend = null }: { resend?: ResendSource | null }) {
  const [isOpen, setOpen] = useState(false);
  const client = useSessionClient();
  const endpoint = useSettings(selectEndpoint);
  const keys = useKeys();
  const hasTarget = useSettings((page) => targetOf(page, keys, location.origin) !== null);
  return (
    <>
      <IconButton
        label={resend ? 'Send again' : 'Send a frame'}
        icon={resend ? RotateCcw : SquarePen}
        size="small"
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Dialog
          onClose={() => setOpen(false)}
          title="Send a frame"
          description={`To ${endpoint.title}, as it is written here. It connects first where there is no connection.`}
          width="max-w-[640px]"
          flush
        >
          <div className="overflow-y-auto">
            <SendFrame
              // Another endpoint has other messages, and another frame begins anew.
              key={`${endpoint.id} ${resend?.index}`}
              endpoint={endpoint}
              resend={resend}
              disabledReason={hasTarget ? null : 'The server’s address in Set-up cannot be used'}
              onSend={(frame) => client.send({ type: 'sendFrame', frame })}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}
