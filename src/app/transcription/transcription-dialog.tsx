import { TRANSCRIPTION_SERVER } from '#text/spoken/transcribe.ts';
import { ApiServerFields } from '../settings/api-server-fields.tsx';
import { useKeys } from '../stores/key-store.ts';
import { DEFAULT_TRANSCRIPTION, type PageSettings, useSettings } from '../stores/settings-store.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/fields/field.tsx';
import { Form } from '../ui/fields/form.tsx';
import { Dialog } from '../ui/popups/dialog.tsx';
import { Switch } from '../ui/switch.tsx';
import { transcriptionKeySlot, transcriptionTarget } from './transcription-target.ts';

export function TranscriptionDialog({ onClose }: { onClose: () => void }) {
  const typed = useSettings((state) => state.transcription);
  const keys = useKeys();
  const change = (part: Partial<PageSettings['transcription']>) =>
    useSettings.setState({ transcription: { ...typed, ...part } });
  return (
    <Dialog
      onClose={onClose}
      title="Check what was spoken"
      description="A server of OpenAI’s transcriptions, such as whisper.cpp, speaches or vLLM, hears the sound of a turn. The page shows which words of the text were not spoken."
    >
      <Form className="flex flex-col gap-4" onSubmit={onClose}>
        <ApiServerFields
          role={TRANSCRIPTION_SERVER}
          typed={typed}
          onChange={change}
          server={transcriptionTarget(typed, keys)}
          keySlot={transcriptionKeySlot(typed.base)}
          sent="The sound of checked turns goes"
          examples={{ base: DEFAULT_TRANSCRIPTION.base, model: 'Systran/faster-whisper-small' }}
        />
        <Field
          title="Language"
          mono
          value={typed.language}
          onChange={(language) => change({ language })}
          placeholder="as the server hears it"
          maxLength={20}
          hint="A code such as en or de, if all turns have one language."
        />
        <Switch checked={typed.afterEveryTurn} onChange={(afterEveryTurn) => change({ afterEveryTurn })}>
          After every turn
        </Switch>
        <div className="flex justify-end">
          <Button variant="filled" onClick={onClose}>
            Done
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
