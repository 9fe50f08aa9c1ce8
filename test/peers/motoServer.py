"""Runs an S3-compatible server with one bucket of 1,100 objects and prints its address."""

import logging

import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"
login = {"aws_access_key_id": "TEAM-KEY-ID", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
client = boto3.client("s3", endpoint_url=url, **login)
client.create_bucket(Bucket="research")
for at in range(1100):
    client.put_object(
        Bucket="research",
        Key="dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1h/timestamp=exchange/"
        f"2020-01-01.{at:016d}.parquet",
        Body=b"x",
    )
print(url, flush=True)
server._thread.join()
