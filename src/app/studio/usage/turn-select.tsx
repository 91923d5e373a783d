import { useIsScene, useSelection, useSession, useSessionClient } from '../../session-client/provider.tsx';
import { Select } from '../../ui/select.tsx';

export function TurnSelect() {
  const { selection } = useSessionClient();
  const ids = useSession((state) => state.turnIds);
  const chosen = useSelection((state) => state.chosenTurn);
  const several = useIsScene();
  if (ids.length < 2) return null;
  return (
    <Select
      label="Turn to show"
      quiet
      size="small"
      value={chosen}
      onChange={(id) => selection.chooseTurn(id)}
      options={[
        { value: null, label: several ? 'All lines' : 'Newest turn' },
        ...ids
          .map((id, index) => ({ value: id, label: several ? `Line ${index + 1}` : `Turn ${index + 1}` }))
          .reverse(),
      ]}
    />
  );
}
