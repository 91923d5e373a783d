import { ApiServerDialog } from '../settings/api-server-dialog.tsx';
import { type PageSettings, useSettings } from '../stores/settings-store.ts';
import { Field } from '../ui/fields/field.tsx';

export function TranscriptionDialog({ onClose }: { onClose: () => void }) {
  const typed = useSettings((state) => state.transcription);
  const change = (part: Partial<PageSettings['transcription']>) =>
    useSettings.setState({ transcription: { ...typed, ...part } });
  return (
    <ApiServerDialog
      use="transcription"
      onClose={onClose}
      title="Check what was spoken"
      description="A server of OpenAI’s transcriptions, such as whisper.cpp, speaches or vLLM, hears the sound of a turn. The page shows which words of the text were not spoken."
      typed={typed}
      onChange={change}
      sent="The sound of checked turns goes"
      exampleModel="Systran/faster-whisper-small"
    >
      <Field
        title="Language"
        mono
        value={typed.language}
        onChange={(language) => change({ language })}
        placeholder="as the server hears it"
        maxLength={20}
        hint="A code such as en or de, if all turns have one language."
      />
    </ApiServerDialog>
  );
}
