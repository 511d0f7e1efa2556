/** What is used of `node:fs/promises`. The package has no types of Node.js, because it is also for browsers. */
type Files = {
  open(
    path: string,
    flags: 'wx',
  ): Promise<{ appendFile(data: Uint8Array): Promise<void>; sync(): Promise<void>; close(): Promise<void> }>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: true }): Promise<void>;
};
type NodeProcess = { getBuiltinModule?: (name: string) => unknown };

/** Not imported, because bundlers for browsers would look for it. */
function nodeFiles(): Files {
  const { process } = globalThis as { process?: NodeProcess };
  const files = process?.getBuiltinModule?.('node:fs/promises') as Files | undefined;
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
