/** Draws a picture on the canvas, rotated as in its metadata and never enlarged. Throws for other files. */
export async function drawScaled(
  picture: Blob,
  canvas: HTMLCanvasElement,
  scaleOf: (width: number, height: number) => number,
): Promise<CanvasRenderingContext2D | null> {
  const whole = await createImageBitmap(picture);
  const scale = Math.min(1, scaleOf(whole.width, whole.height));
  canvas.width = Math.max(1, Math.round(whole.width * scale));
  canvas.height = Math.max(1, Math.round(whole.height * scale));
  const context = canvas.getContext('2d');
  if (context) context.imageSmoothingQuality = 'high';
  context?.drawImage(whole, 0, 0, canvas.width, canvas.height);
  whole.close();
  return context;
}
