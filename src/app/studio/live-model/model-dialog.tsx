import { RotateCcw } from 'lucide-react';
import { useId } from 'react';
import { ApiServerDialog } from '../../settings/api-server-dialog.tsx';
import {
  DEFAULT_LIVE_MODEL,
  MAX_SYSTEM_PROMPT_CHARS,
  type PageSettings,
  useSettings,
} from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { FieldLabel } from '../../ui/fields/field-label.tsx';

const AREA =
  'field-sizing-content block max-h-48 min-h-20 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13 text-text';

export function ModelDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const liveModel = useSettings((state) => state.liveModel);
  const change = (part: Partial<PageSettings['liveModel']>) =>
    useSettings.setState({ liveModel: { ...liveModel, ...part } });
  const { systemPrompt } = DEFAULT_LIVE_MODEL;
  return (
    <ApiServerDialog
      use="liveModel"
      onClose={onClose}
      title="Live model"
      description="Any server of OpenAI’s chat completions, such as Ollama, llama.cpp or vLLM. The page asks it directly."
      typed={liveModel}
      onChange={change}
      sent="Questions and history go"
      exampleModel="llama3.2"
    >
      <div className="flex flex-col gap-1">
        <FieldLabel
          title="System prompt"
          htmlFor={id}
          trailing={
            <Button
              variant="ghost"
              size="small"
              icon={RotateCcw}
              onClick={() => change({ systemPrompt })}
              disabledReason={liveModel.systemPrompt === systemPrompt ? 'This is the default' : null}
            >
              Default
            </Button>
          }
        />
        <textarea
          id={id}
          className={AREA}
          value={liveModel.systemPrompt}
          maxLength={MAX_SYSTEM_PROMPT_CHARS}
          onChange={(event) => change({ systemPrompt: event.target.value })}
        />
      </div>
    </ApiServerDialog>
  );
}
