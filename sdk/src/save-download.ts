/** Not imported, because the package is also for browsers. */
function nodeFiles() {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const files = process?.getBuiltinModule?.('node:fs/promises');
  if (files !== undefined) return files;
  throw new TypeError(
    'saveTo needs Node.js 20.16 or newer. In a browser, read the body: await new Response(download.body).blob()',
  );
}

/** Writes a file as `Download.saveTo` says. */
export async function saveDownload(body: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const files = nodeFiles();
  const reader = body.getReader();
  const draft = `${path}.${Date.now().toString(36)}${Math.random().toString(36).slice(2)}.part`;
  try {
    const handle = await files.open(draft, 'wx');
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        await handle.appendFile(part.value);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(draft, path);
  } catch (error) {
    // The transfer has to end, also if the file cannot be written.
    await reader.cancel(error).catch(() => {});
    await files.rm(draft, { force: true });
    throw error;
  }
}
