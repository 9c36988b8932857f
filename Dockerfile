# The service in a container: no build tools, no root, one volume for the file.
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/vigent \
 && /opt/vigent/bin/pip install --no-cache-dir '.[server,otel,mcp]'

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home vigent \
 && install -d -o vigent -g vigent -m 0700 /var/lib/vigent
COPY --from=build /opt/vigent /opt/vigent
ENV PATH=/opt/vigent/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    VIGENT_DB=/var/lib/vigent/vigent.db \
    VIGENT_SERVER_HOST=0.0.0.0
USER vigent
WORKDIR /var/lib/vigent
VOLUME /var/lib/vigent
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s CMD \
  ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/health/ready', timeout=2)"]
ENTRYPOINT ["vigent", "serve"]
