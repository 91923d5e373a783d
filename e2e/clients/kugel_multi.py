"""The program of KugelAudio's page on /ws/tts/multi, with another base URL and key."""

import asyncio
import websockets
import json
import base64
import hashlib
import os

heard = hashlib.sha256()


async def multi_speaker():
    base = os.environ["KUGELAUDIO_BASE_URL"].replace("http", "ws", 1)
    uri = f"{base}/ws/tts/multi?api_key=local"

    async with websockets.connect(uri) as ws:
        # Create narrator context
        await ws.send(json.dumps({
            "text": " ",
            "context_id": "narrator",
            "voice_settings": {"voice_id": 1071},
        }))

        # Create character context
        await ws.send(json.dumps({
            "text": " ",
            "context_id": "character",
            "voice_settings": {"voice_id": 1072},
        }))

        # Send text to different speakers
        await ws.send(json.dumps({
            "text": "The story begins.",
            "context_id": "narrator",
            "flush": True,
        }))

        await ws.send(json.dumps({
            "text": "Hello, I'm the main character!",
            "context_id": "character",
            "flush": True,
        }))

        # Receive audio from both contexts
        async for message in ws:
            data = json.loads(message)

            if "audio" in data:
                ctx = data["context_id"]
                audio_bytes = base64.b64decode(data["audio"])
                heard.update(audio_bytes)
                print(f"[{ctx}] Chunk {data['idx']}: {len(audio_bytes)} bytes")

            if data.get("context_closed"):
                usage = data.get("usage", {})
                # Per-context (per-conversation) usage: audio time + charge (EUR cents)
                print(f"[{data['context_id']}] usage: {usage.get('audio_seconds')}s, "
                      f"{usage.get('cost_cents')} ct")

            if data.get("session_closed"):
                break

        # Close when done
        await ws.send(json.dumps({"close_socket": True}))

asyncio.run(multi_speaker())
print(heard.hexdigest())
